// palette.js is written by compose.py, from inorder/palette.py.
export const LIGHT: Record<string, string>;
export const DARK: Record<string, string>;
