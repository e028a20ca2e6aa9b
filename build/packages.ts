import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from 'electron-builder';
import { parse } from 'yaml';

const FILE = join(import.meta.dirname, '..', 'electron-builder.yml');

/**
 * Returns the configuration of the packages: electron-builder.yml, with the facts that only a release knows, which its workflow puts
 * into the environment: who signs, and where releases are published. Reads the variables that docs/desktop.md lists.
 */
export async function describePackages(environment: NodeJS.ProcessEnv): Promise<Configuration> {
  const described: Configuration = parse(await readFile(FILE, 'utf8'));
  const repository = environment['GITHUB_REPOSITORY'] ?? '';
  return {
    ...described,
    ...(environment['GATEHOUSE_RELEASE'] === '1' ? withSigning(described, environment) : {}),
    ...(repository === '' ? {} : withPublishing(repository)),
  };
}

/** A release must not contain anything unsigned. */
function withSigning(
  { mac, win }: Configuration,
  environment: NodeJS.ProcessEnv,
): Pick<Configuration, 'mac' | 'win'> {
  const { identity: _adHoc, ...rest } = mac ?? {};
  const endpoint = environment['AZURE_SIGNING_ENDPOINT'] ?? '';
  const azureSignOptions = {
    publisherName: environment['AZURE_SIGNING_PUBLISHER'] ?? '',
    endpoint,
    codeSigningAccountName: environment['AZURE_SIGNING_ACCOUNT'] ?? '',
    certificateProfileName: environment['AZURE_SIGNING_PROFILE'] ?? '',
  };
  return {
    mac: { ...rest, notarize: true, forceCodeSigning: true },
    win: { ...win, forceCodeSigning: true, ...(endpoint === '' ? {} : { azureSignOptions }) },
  };
}

function withPublishing(repository: string): Pick<Configuration, 'publish' | 'extraMetadata'> {
  const [owner = '', repo = ''] = repository.split('/');
  return {
    publish: { provider: 'github', owner, repo, releaseType: 'draft' },
    extraMetadata: { homepage: `https://github.com/${repository}` },
  };
}
