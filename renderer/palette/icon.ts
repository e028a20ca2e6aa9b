/** The size of the icons of the palette. */
export const ICON = { size: 18, stroke: 1.6 } as const;
