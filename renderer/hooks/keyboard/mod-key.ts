/** Name of the modifier key for commands on this system. */
export const MOD_KEY = /mac|iphone|ipad/iu.test(navigator.userAgent) ? '⌘' : 'Ctrl';
