/** The key that keyboards of this system hold down for commands. */
export const MOD_KEY = /mac|iphone|ipad/iu.test(navigator.userAgent) ? '⌘' : 'Ctrl';
