import type { Plugin, Rolldown } from 'vite';

type Bundle = Rolldown.OutputBundle;

/**
 * Lets `index.html` request at once the files that the page loads after the first paint. They come after its frame, so that
 * they do not delay it.
 */
export function preloadPage(): Plugin {
  return {
    name: 'preload-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => (bundle === undefined ? [] : listPreloads(bundle)),
    },
  };
}

function listPreloads(bundle: Bundle) {
  const { scripts, styles } = collectFiles(bundle);
  const fonts = Object.keys(bundle).filter((file) => file.includes('inter-latin-wght'));
  return [
    ...fonts.map((file) => preload(file, { rel: 'preload', as: 'font', type: 'font/woff2' })),
    ...[...styles].map((file) => preload(file, { rel: 'preload', as: 'style' })),
    ...[...scripts].map((file) => preload(file, { rel: 'modulepreload' })),
  ];
}

function preload(file: string, attributes: Readonly<Record<string, string>>) {
  return {
    tag: 'link',
    attrs: { ...attributes, crossorigin: true, href: `/${file}` },
    injectTo: 'body' as const,
  };
}

/** Collects the files of the module that the entry loads after the first paint. */
function collectFiles(bundle: Bundle) {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const add = (file: string): void => {
    const chunk = bundle[file];
    if (chunk?.type !== 'chunk' || scripts.has(file)) return;
    scripts.add(file);
    for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style);
    for (const next of chunk.imports) add(next);
  };
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const entry = chunks.find(({ isEntry }) => isEntry);
  for (const file of entry?.dynamicImports ?? []) add(file);
  return { scripts, styles };
}
