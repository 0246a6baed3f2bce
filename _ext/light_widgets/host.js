// Mounts the page's widgets: the host side of anywidget's front-end modules (https://anywidget.dev/en/afm/).
// A classic script: it must also run from file://.
(() => {
  if (window.inorderHost) return;
  const SIGNS = ["scroll", "pointerdown", "keydown", "focusin"]; // that the reader has begun
  const PATIENCE = 5000; // milliseconds

  function createModel(state) {
    const listeners = new Map();
    const changed = new Set();
    const emit = (event, ...args) => {
      for (const listener of [...(listeners.get(event) ?? [])]) {
        try {
          listener(...args);
        } catch (error) {
          console.error(error); // the other listeners, and the figures that are linked to this one, go on
        }
      }
    };
    const get = (name) => (Object.hasOwn(state, name) ? state[name] : undefined);
    return {
      get,
      set(name, value) {
        const values = typeof name === "object" ? name : { [name]: value };
        for (const [key, next] of Object.entries(values)) {
          if (Object.is(get(key), next)) continue;
          put(state, key, next);
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

  // As an own property, whatever its name: `node.__proto__ = …` would change what all objects have.
  function put(node, key, value) {
    Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
  }

  function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64); // since 2025, and sooner done
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i); // from() is slow for megabytes
    return bytes;
  }

  function putBuffers(state, buffers) {
    for (const { path, data } of buffers) {
      const bytes = bytesOf(data);
      let node = state;
      for (const key of path.slice(0, -1)) {
        if (!Object.hasOwn(node, key)) put(node, key, {});
        node = node[key];
      }
      put(node, path.at(-1), new DataView(bytes.buffer));
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

  // A page on somebody's disk gives the address at which it is published, if it knows it.
  function address() {
    const published = document.querySelector('meta[property="og:url"]')?.content;
    return location.protocol === "file:" && published ? published : location.href.split("#")[0];
  }

  function linkTo(id, state) {
    const escaped = encodeURIComponent(JSON.stringify(state)).replace(/%2C/g, ",").replace(/%3A/g, ":"); // shorter
    return `${address()}#${id}?${escaped}`;
  }

  const initialized = new Map();

  async function mount(view, widgets) {
    // A page that grows short meanwhile loses the reader's place. While it loads, to ask would make the browser go there.
    if (document.readyState === "complete") view.element.style.minHeight = `${view.element.offsetHeight}px`;
    view.cleanUp?.();
    view.cleanUp = undefined;
    view.element.replaceChildren();
    const el = document.createElement("div");
    view.element.append(el);
    const { id } = view.element;
    const page = { id, link: (state) => linkTo(id, state), initialState: linkedState(id) };
    try {
      const { model, definition, error } = widgets.get(view.element.dataset.model) ?? {};
      if (error) throw error;
      if (!definition) throw new Error("it is not on this page");
      const widget = typeof definition === "function" ? await definition() : definition;
      if (!initialized.has(model)) initialized.set(model, widget.initialize?.({ model }));
      await initialized.get(model);
      view.cleanUp = await widget.render({ model, el, page });
      if (page.initialState) view.element.scrollIntoView();
    } catch (error) {
      console.error(error);
      el.setAttribute("role", "alert");
      el.textContent = `This figure could not start (${error.message}). Its description is in the caption.`;
    }
    view.element.style.minHeight = "";
  }

  // A widget that cannot be made is an error of its own views, a page that cannot be read one of all its views.
  function attempt(make) {
    try {
      return make();
    } catch (error) {
      console.error(error);
      return { error };
    }
  }

  function widgetOf({ definition, state, buffers }) {
    if (state === null || typeof state !== "object") throw new Error("its state cannot be read");
    putBuffers(state, buffers);
    return { model: createModel(state), definition: window.inorderWidgets[definition].default };
  }

  function tie({ ends, both }, widgets) {
    const [[origin, from], [target, to]] = ends.map(([id, name]) => [widgets.get(id)?.model, name]);
    if (!origin || !target) return;
    const copy = (a, x, b, y) => a.on(`change:${x}`, () => b.set(y, a.get(x)));
    copy(origin, from, target, to);
    if (both) copy(target, to, origin, from);
  }

  function start() {
    const saved = attempt(() => JSON.parse(window.inorderState));
    const pairs = Object.entries(saved?.models ?? {}).map(([id, one]) => [id, attempt(() => widgetOf(one))]);
    const widgets = new Map(pairs);
    for (const link of [saved?.links ?? []].flat()) attempt(() => tie(link, widgets));
    const views = [...document.querySelectorAll(".inorder-view")].map((element) => ({ element }));
    mountInTime(views, (view) => mount(view, widgets));
    addEventListener("hashchange", () => {
      views.filter(({ element }) => linkedState(element.id)).forEach((view) => mount(view, widgets));
    });
  }

  // What the reader is near at once. The rest one at a time, when the browser is idle, once the reader does something or
  // has looked for a while; all at once where a place of the page is asked for, which needs the true heights, or a sheet.
  function mountInTime(views, mountOne) {
    const waiting = new Map(views.map((view) => [view.element, view]));
    const mountAt = (element) => {
      const view = waiting.get(element);
      sight.unobserve(element);
      return waiting.delete(element) && mountOne(view);
    };
    const sight = new IntersectionObserver(
      (seen) => {
        const near = seen.filter((one) => one.isIntersecting).map((one) => one.target);
        for (const element of near) setTimeout(mountAt, 0, element); // between two of them the page answers
      },
      { rootMargin: "100% 0px" },
    );
    const mountAll = () => Promise.all([...waiting.keys()].map(mountAt));
    // The place that is asked for: the figures above it have their heights now.
    const goToPlace = () =>
      document.getElementById(decodeURIComponent(location.hash.slice(1).split("?")[0]))?.scrollIntoView();
    if ("laidOut" in document.documentElement.dataset) {
      const isReturn = performance.getEntriesByType("navigation")[0]?.type !== "navigate"; // scripts/place.js
      return mountAll().then(() => isReturn || goToPlace());
    }
    const soon = window.requestIdleCallback ?? ((task) => setTimeout(task, 50));
    const mountNext = () => {
      const [element] = waiting.keys();
      if (!element) return;
      mountAt(element);
      soon(mountNext);
    };
    const begin = () => {
      for (const sign of SIGNS) removeEventListener(sign, begin);
      clearTimeout(timer);
      soon(mountNext);
    };
    const timer = setTimeout(begin, PATIENCE);
    for (const sign of SIGNS) addEventListener(sign, begin, { passive: true });
    addEventListener("beforeprint", mountAll);
    addEventListener("hashchange", () => {
      if (waiting.size) mountAll().then(goToPlace);
    });
    for (const element of waiting.keys()) sight.observe(element);
  }

  window.inorderHost = { start };
  start();
})();
