// What the parts of a page share: the reader's settings, and one place where changes are told to a screen reader.

export const find = (selector, from = document) => from.querySelector(selector);
export const findAll = (selector, from = document) => [...from.querySelectorAll(selector)];

export const settings = {
  read(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage can be forbidden
    }
  },
  write(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {}
  },
};

export const announce = (text) => {
  find("#announcer").textContent = text;
};
