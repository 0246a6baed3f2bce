// Adam (Kingma and Ba 2015), as torch has it, after the gradient's norm is clipped to `longest`.

export function adam() {
  /**
   * @type {(length: number, settings: { rate: number, betas: number[], longest: number, eps?: number }) =>
   *   (numbers: Float64Array, gradient: Float64Array) => void}
   */
  function optimiser(length, { rate, betas, longest, eps = 1e-8 }) {
    const [first, second] = [new Float64Array(length), new Float64Array(length)];
    let nSteps = 0;
    return function step(numbers, gradient) {
      nSteps += 1;
      let square = 0;
      for (let i = 0; i < length; i += 1) square += gradient[i] ** 2;
      const cut = Math.min(1, longest / (Math.sqrt(square) + 1e-6));
      const [one, two] = betas;
      const size = rate / (1 - one ** nSteps);
      const root = Math.sqrt(1 - two ** nSteps);
      for (let i = 0; i < length; i += 1) {
        const slope = cut * gradient[i];
        first[i] = one * first[i] + (1 - one) * slope;
        second[i] = two * second[i] + (1 - two) * slope * slope;
        numbers[i] -= (size * first[i]) / (Math.sqrt(second[i]) / root + eps);
      }
    };
  }
  return { optimiser };
}
