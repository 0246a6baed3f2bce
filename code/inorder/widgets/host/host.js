// Mounts the widgets of a page of the book, or the one of a file that somebody saved: the host side of anywidget's
// front-end modules (https://anywidget.dev/en/afm/). A classic script: it must also run from file://.
// PAGE, the template of such a file, stands before it (host/__init__.py).
/* global PAGE */
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
  // A saved file opens in the state in which it was saved.
  function linkedState({ id, dataset }) {
    const [anchor, query] = location.hash.slice(1).split(/\?(.*)/s);
    const text = anchor === id && query ? query : dataset.state;
    if (!text) return null;
    try {
      const state = JSON.parse(decodeURIComponent(text));
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

  // A saved file: the page's state, packed, and the page as it came.
  const packed = document.getElementById("inorder-state");
  const ownSource = packed && `<!doctype html>\n${document.documentElement.outerHTML}\n`;

  const through = (stream, data) => new Response(new Blob([data]).stream().pipeThrough(stream));
  const base64Of = (bytes) => btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));

  // The figure in this state as one HTML file, which needs no other.
  async function fileOf({ dataset: { model } }, state) {
    const opening = ` data-state="${encodeURIComponent(JSON.stringify(state))}"`;
    if (packed) return ownSource.replace(/ data-state="[^"]*"|(?= data-model=)/, () => opening);
    const { [model]: one } = JSON.parse(window.inorderState).models;
    const addressesOf = (selector, name) => [...document.querySelectorAll(selector)].map((file) => file[name]);
    const fetched = (addresses) => Promise.all(addresses.map(async (address) => (await fetch(address)).text()));
    const addresses = addressesOf('script[src*="/widgets/"]', "src").filter((address) => !address.includes("/state_"));
    const script = (await fetched(addresses)).join("\n").replaceAll("</script", "<\\/script");
    const style = (await fetched(addressesOf('link[rel=stylesheet][href*="/widgets/"]', "href"))).join("\n");
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
    const text = JSON.stringify({ models: { [model]: one }, links: [] });
    const small = await through(new CompressionStream("gzip"), text).bytes();
    const title = document.createElement("b");
    title.textContent = one.state.title;
    const parts = { script, style, model, opening, title: title.innerHTML, still: "" };
    Object.assign(parts, { state: base64Of(small), hash: base64Of(new Uint8Array(digest)) });
    return PAGE.replace(/\$(\w+)/g, (_, name) => parts[name]);
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
    const page = { id, initialState: linkedState(view.element) };
    if (!packed) page.link = (state) => linkTo(id, state); // of a file that is sent, a link would lead to one disk
    if (packed || location.protocol !== "file:") page.file = (state) => fileOf(view.element, state); // a disk is not read
    try {
      const { model, definition, error } = widgets.get(view.element.dataset.model) ?? {};
      if (error) throw error;
      if (!definition) throw new Error("it is not on this page");
      const widget = typeof definition === "function" ? await definition() : definition;
      if (!initialized.has(model)) initialized.set(model, widget.initialize?.({ model }));
      await initialized.get(model);
      view.cleanUp = await widget.render({ model, el, page });
      view.element.dispatchEvent(new CustomEvent("inorder-mounted", { detail: model })); // for the page's own words
      if (page.initialState && !packed) view.element.scrollIntoView();
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
      views.filter(({ element }) => linkedState(element)).forEach((view) => mount(view, widgets));
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
  if (packed) {
    const text = through(new DecompressionStream("gzip"), bytesOf(packed.textContent)).text();
    text.then((state) => {
      window.inorderState = state;
      start();
    });
  } else start();
})();
