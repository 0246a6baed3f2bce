// Mounts the page's widgets: the host side of anywidget's front-end modules (https://anywidget.dev/en/afm/).
// A classic script: it must also run from file://.
(() => {
  if (window.inorderHost) return;

  function createModel(state) {
    const listeners = new Map();
    const changed = new Set();
    const emit = (event, ...args) => [...(listeners.get(event) ?? [])].forEach((listener) => listener(...args));
    return {
      get: (name) => state[name],
      set(name, value) {
        const values = typeof name === "object" ? name : { [name]: value };
        for (const [key, next] of Object.entries(values)) {
          if (Object.is(state[key], next)) continue;
          state[key] = next;
          changed.add(key);
          emit(`change:${key}`, null, next);
        }
        if (changed.size) emit("change");
      },
      save_changes() {
        changed.clear();
      },
      on(event, listener) {
        for (const one of event.split(" ")) listeners.set(one, [...(listeners.get(one) ?? []), listener]);
      },
      off(event, listener) {
        for (const one of event ? event.split(" ") : [...listeners.keys()]) {
          listeners.set(one, listener ? (listeners.get(one) ?? []).filter((l) => l !== listener) : []);
        }
      },
      send() {}, // no kernel listens
    };
  }

  function putBuffers(state, buffers) {
    for (const { path, data } of buffers) {
      const text = atob(data);
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i); // from() is slow for megabytes
      const parent = path.slice(0, -1).reduce((node, key) => (node[key] ??= {}), state);
      parent[path.at(-1)] = new DataView(bytes.buffer);
    }
  }

  // The address `#figure-id?{"trait": value}` opens the page with that figure in that state.
  function linkedState(id) {
    const [anchor, query] = location.hash.slice(1).split(/\?(.*)/s);
    if (anchor !== id || !query) return null;
    try {
      const state = JSON.parse(decodeURIComponent(query));
      if (state && typeof state === "object" && !Array.isArray(state)) return state;
    } catch {} // no JSON
    return { "": "not readable" }; // the widget says that the link does not fit
  }

  function linkTo(id, state) {
    const escaped = encodeURIComponent(JSON.stringify(state)).replace(/%2C/g, ",").replace(/%3A/g, ":"); // shorter
    return `${location.href.split("#")[0]}#${id}?${escaped}`;
  }

  const initialized = new Map();

  async function mount(view, models, definitions) {
    view.cleanUp?.();
    view.element.replaceChildren();
    const el = document.createElement("div");
    view.element.append(el);
    const { id } = view.element;
    const model = models[view.element.dataset.model];
    const page = { id, link: (state) => linkTo(id, state), initialState: linkedState(id) };
    try {
      const definition = definitions.get(model);
      const widget = typeof definition === "function" ? await definition() : definition;
      if (!initialized.has(model)) initialized.set(model, widget.initialize?.({ model }));
      await initialized.get(model);
      view.cleanUp = await widget.render({ model, el, page });
      if (page.initialState) view.element.scrollIntoView();
    } catch (error) {
      console.error(error);
      el.setAttribute("role", "alert");
      el.textContent = `This figure could not start (${error.message}). Its description stands in the caption.`;
    }
  }

  function start() {
    const source = document.getElementById("inorder-widgets");
    if (!source) return;
    const saved = JSON.parse(source.textContent);
    const models = {};
    const definitions = new Map();
    for (const [id, { definition, state, buffers }] of Object.entries(saved.models)) {
      putBuffers(state, buffers);
      models[id] = createModel(state);
      definitions.set(models[id], window.inorderWidgets[definition].default);
    }
    for (const { ends, both } of saved.links) {
      const [[source_, from], [target, to]] = ends.map(([id, name]) => [models[id], name]);
      if (!source_ || !target) continue;
      const copy = (a, x, b, y) => a.on(`change:${x}`, () => b.set(y, a.get(x)));
      copy(source_, from, target, to);
      if (both) copy(target, to, source_, from);
    }
    const views = [...document.querySelectorAll(".inorder-view")].map((element) => ({ element }));
    views.forEach((view) => mount(view, models, definitions));
    addEventListener("hashchange", () => {
      views.filter(({ element }) => linkedState(element.id)).forEach((view) => mount(view, models, definitions));
    });
  }

  window.inorderHost = { start };
  start();
})();
