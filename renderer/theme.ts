import {
  Alert,
  createTheme,
  type DrawerProps,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type ModalProps,
  Notification,
  Tooltip,
} from '@mantine/core';

const gate: MantineColorsTuple = [
  '#eef0ff',
  '#dde1fd',
  '#b9c1f8',
  '#94a0f2',
  '#7584ee',
  '#5f70ea',
  '#4d5fe0',
  '#3d4ed0',
  '#3242b0',
  '#26348f',
];

/** Cooler and with finer steps than Mantine's own, so that surfaces lie apart without borders everywhere. */
const dark: MantineColorsTuple = [
  '#d6d9e0',
  '#b4b8c3',
  '#9a9fad',
  '#5f6573',
  '#3a3f4b',
  '#2c313b',
  '#22262f',
  '#171a21',
  '#12151b',
  '#0d0f14',
];

/** Colours of alerts, which use the same three tones as everything else. */
const ALERT_TONES: ReadonlyMap<string, string> = new Map([
  ['red', 'bad'],
  ['orange', 'warn'],
  ['teal', 'good'],
]);

/** The header of a dialog is not a `banner` landmark: the page has its own. */
const NO_BANNER = { header: { role: 'presentation' } };

// Only types of dialogs are imported: the first screen has none.
const MODAL_PROPS: Partial<ModalProps> = {
  attributes: NO_BANNER,
  closeButtonProps: { 'aria-label': 'Close' },
  transitionProps: { duration: 120 },
  styles: { title: { fontWeight: 600 } },
};
const DRAWER_PROPS: Partial<DrawerProps> = { attributes: NO_BANNER };

/** The theme of every screen: calm, dense, one accent. */
export const theme = createTheme({
  primaryColor: 'gate',
  primaryShade: { light: 7, dark: 6 },
  colors: { gate, dark },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  components: {
    Alert: Alert.extend({
      vars: (_theme, { color }) => {
        const tone = ALERT_TONES.get(color ?? '');
        if (tone === undefined) return { root: {} };
        return {
          root: {
            '--alert-bg': `var(--gate-${tone}-soft)`,
            '--alert-color': `var(--gate-${tone})`,
          },
        };
      },
    }),
    Modal: { defaultProps: MODAL_PROPS },
    Drawer: { defaultProps: DRAWER_PROPS },
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        withArrow: true,
        openDelay: 350,
        transitionProps: { duration: 100 },
        events: { hover: true, focus: true, touch: true },
        multiline: true,
        maw: 420,
      },
    }),
  },
});

/** Dimmed text must stay readable: Mantine's own grey is too pale for WCAG AA on white. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565d6b',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--gate-surface': '#f6f7f9',
    '--gate-line': '#e3e6ec',
    '--gate-good': '#0b7a4b',
    '--gate-warn': '#9a5b00',
    '--gate-bad': '#c0262d',
    '--gate-good-soft': '#e3f5ec',
    '--gate-warn-soft': '#fdf1dc',
    '--gate-bad-soft': '#fdeaea',
    '--gate-mark': '#eceffe',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a9b8',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-body': '#12151b',
    '--gate-surface': '#171a21',
    '--gate-line': '#2a2f39',
    '--gate-good': '#4cc38a',
    '--gate-warn': '#e9b04d',
    '--gate-bad': '#ff8a8a',
    '--gate-good-soft': '#13291f',
    '--gate-warn-soft': '#2c2413',
    '--gate-bad-soft': '#2f1a1d',
    '--gate-mark': '#1d2340',
  },
});
