/** All characters that have a special meaning in some language. */
export const NASTY =
  'It\'s "so" \\n \\ $HOME `id` ${1} %s {{x}} #{y} \u2028 \u0000 \ud800 🦊\nJSON\n\'\'\'"""';
