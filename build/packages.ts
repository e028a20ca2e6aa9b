import type { Configuration } from 'electron-builder';

/** In the release job nothing unsigned may pass; elsewhere packages are made without. */
const release = process.env['GATEHOUSE_RELEASE'] === '1';
const azure = process.env['AZURE_SIGNING_ENDPOINT'] ?? '';

/** The packages of the desktop app. What is in them, and how they are sealed. */
export const PACKAGES: Configuration = {
  appId: 'dev.gatehouse.app',
  productName: 'Gatehouse',
  directories: { output: 'dist', buildResources: 'out/package' },
  // The page and the programs are bundled; the keyring is the only package that comes with them.
  files: [
    'out/desktop/**',
    'out/ui/**',
    'package.json',
    'LICENSE',
    '!**/*.map',
    '!**/*.d.ts',
    '!**/*.md',
  ],
  asar: true,
  asarUnpack: ['**/*.node'],
  npmRebuild: false,
  electronLanguages: ['en-US'],
  artifactName: '${productName}-${version}-${os}-${arch}.${ext}',
  forceCodeSigning: false,
  electronFuses: {
    runAsNode: false,
    enableCookieEncryption: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
    loadBrowserProcessSpecificV8Snapshot: false,
  },
  // The default one needs libfuse2, which systems no longer bring.
  toolsets: { appimage: '1.0.3' },
  linux: {
    target: ['AppImage', 'deb', 'rpm'],
    category: 'Development',
    executableName: 'gatehouse',
    syncDesktopName: true,
    icon: 'out/package/icons',
    synopsis: 'A local gateway for one account at a remote model service',
    maintainer: 'Gatehouse',
    vendor: 'Gatehouse',
    desktop: { entry: { StartupNotify: 'true', Keywords: 'gateway;models;proxy;' } },
  },
  // A keychain is used when there is one; Gatehouse says so when there is none.
  deb: { recommends: ['gnome-keyring | kwalletmanager'] },
  mac: {
    target: ['dmg', 'zip'],
    category: 'public.app-category.developer-tools',
    icon: 'out/package/icon.icns',
    hardenedRuntime: true,
    notarize: release,
    forceCodeSigning: release,
    minimumSystemVersion: '13.0',
  },
  win: {
    target: ['nsis'],
    icon: 'out/package/icon.ico',
    forceCodeSigning: release,
    ...(azure === ''
      ? {}
      : {
          azureSignOptions: {
            publisherName: process.env['AZURE_SIGNING_PUBLISHER'] ?? '',
            endpoint: azure,
            codeSigningAccountName: process.env['AZURE_SIGNING_ACCOUNT'] ?? '',
            certificateProfileName: process.env['AZURE_SIGNING_PROFILE'] ?? '',
          },
        }),
  },
  nsis: { oneClick: true, perMachine: false, deleteAppDataOnUninstall: false },
  // Whose releases these are is told by the repository of package.json or by the workflow.
  publish: publishTo(process.env['GITHUB_REPOSITORY'] ?? ''),
};

function publishTo(repository: string): NonNullable<Configuration['publish']> | null {
  const [owner, repo] = repository.split('/');
  return owner === undefined || repo === undefined
    ? null
    : { provider: 'github', owner, repo, releaseType: 'draft' };
}
