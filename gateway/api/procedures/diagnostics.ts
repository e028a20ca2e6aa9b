import { arch, homedir, release, type } from 'node:os';
import { sql } from 'kysely';
import { pluralize } from '../../../shared/format.ts';
import { hideHomeFolder } from '../../../shared/hide-home-folder.ts';
import type { DataFolder, EffectiveSettings } from '../../../shared/settings.ts';
import type { Status } from '../../../shared/status.ts';
import type { VideoPage } from '../../../shared/video/video.ts';
import type { SystemProxy, UpstreamWithKey } from '../../gateway.ts';
import type { Store } from '../../store/store.ts';
import type { ApiContext } from './base.ts';

/** Creates a text to paste into a report: without secrets, personal names (the home folder becomes `~`) and names of proxies. */
export async function createDiagnostics(context: ApiContext): Promise<string> {
  const { gateway, store, windowPort, host } = context;
  const [status, videos, folder, upstreams, sqlite] = await Promise.all([
    gateway.status(),
    gateway.videos.page({ filter: {}, limit: 1 }),
    gateway.dataFolder(),
    gateway.listUpstreams(),
    sqliteVersion(store),
  ]);
  const sections = [
    formatMachine(status, sqlite),
    formatRun(status, windowPort, host.now()),
    [
      ...upstreams.flatMap(formatUpstream),
      `Connection  ${formatConnection(status, gateway.systemProxy)}`,
    ],
    formatModels(context),
    formatVideos(videos),
    formatSettings(gateway.settings()),
    formatDataFolder(folder, gateway.history.dropped),
  ];
  const text = `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
  const proxies = [...upstreams, gateway.systemProxy].flatMap(({ proxyUrl }) => proxyUrl ?? []);
  // Error messages contain names of files and proxies, too.
  const nameless = proxies.reduce((masked, proxy) => masked.replaceAll(proxy, '<proxy>'), text);
  return hideHomeFolder(nameless, homedir());
}

async function sqliteVersion({ db }: Store): Promise<string> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
  return rows[0]?.version ?? 'unknown';
}

function formatMachine({ version }: Status, sqlite: string): readonly string[] {
  return [
    `Gatehouse   ${version}`,
    `Node.js     ${process.version}`,
    `SQLite      ${sqlite}`,
    `System      ${type()} ${release()} (${arch()})`,
  ];
}

function formatRun(status: Status, windowPort: number | null, now: number): readonly string[] {
  return [
    `Started     ${new Date(status.startedAt).toISOString()} (${Math.round((now - status.startedAt) / 60_000)} min ago)`,
    `Ports       proxy ${status.port}, window ${windowPort ?? 'none'}`,
    `Service     ${status.reach.state}: ${status.reach.sentence}`,
    `Repairs     ${status.repairs ? 'on' : 'off'}`,
    `Running     ${pluralize(status.running, 'exchange')}${status.paused ? ', paused' : ''}`,
  ];
}

/** Includes the address of a service: it rarely identifies an account, and no report can be answered without it. */
function formatUpstream(upstream: UpstreamWithKey): readonly string[] {
  const { baseUrl, versionVendor, caFile, proxyUrl, active, asksCacheReason, kind, key } = upstream;
  const details = [
    active ? 'in use' : null,
    kind,
    // The sandbox is built in, so the vendor of its version header says nothing.
    kind === 'sandbox' ? null : `vendor ${versionVendor}`,
    caFile === null ? null : 'extra CA file',
    proxyUrl === null ? null : 'through a proxy',
    asksCacheReason ? 'asks why its cache missed' : null,
    `key: ${key.name}`,
  ];
  return [`Upstream    ${baseUrl} (${details.filter((detail) => detail !== null).join(', ')})`];
}

function formatConnection({ upstream }: Status, { proxyUrl, reason }: SystemProxy): string {
  if (upstream.proxyUrl !== null) return 'through the proxy of the service';
  if (proxyUrl !== null) return 'through the proxy of the system';
  return reason === null ? 'direct' : `direct. ${reason}`;
}

function formatModels({ gateway: { models } }: ApiContext): readonly string[] {
  const fetchedAt = models.fetchedAt();
  const when = fetchedAt === null ? 'never fetched' : new Date(fetchedAt).toISOString();
  return [`Models      ${models.known().length} (${models.problem() ?? when})`];
}

function formatVideos({ counts }: VideoPage): readonly string[] {
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  const summary = states.map(([state, count]) => `${count} ${state}`).join(', ');
  return [`Videos      ${summary === '' ? 'none' : summary}`];
}

function formatSettings({ settings, pinned }: EffectiveSettings): readonly string[] {
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  );
  const fixed = Object.keys(pinned);
  return [
    `Settings    ${lines.join(', ')}`,
    `Pinned      ${fixed.length === 0 ? 'nothing' : fixed.join(', ')}`,
  ];
}

function formatDataFolder(folder: DataFolder, dropped: number): readonly string[] {
  const { path, files, exchanges, oldestAt } = folder;
  const oldest = oldestAt === null ? '' : `, oldest ${new Date(oldestAt).toISOString()}`;
  return [
    `Data        ${path}`,
    ...files.map(({ name, bytes }) => `            ${name}: ${bytes} bytes`),
    `History     ${pluralize(exchanges, 'exchange')}${oldest}, ${dropped} dropped`,
  ];
}
