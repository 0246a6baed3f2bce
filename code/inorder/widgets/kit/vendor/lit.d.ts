export function html(strings: TemplateStringsArray, ...values: unknown[]): unknown;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): unknown;
export function render(content: unknown, root: Element): void;
export const nothing: unknown;
export function live(value: unknown): unknown;
export function ref(take: (node?: Element) => void): unknown;
