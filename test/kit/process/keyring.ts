import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether a real keychain can be started here. */
export const KEYRING_INSTALLED =
  process.platform === 'linux' &&
  ['dbus-daemon', 'gnome-keyring-daemon'].every(
    (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0,
  );

/** Whether a keychain can also show a prompt that nobody sees. */
export const PROMPTS_INSTALLED =
  KEYRING_INSTALLED && spawnSync('dbus-test-tool', ['--help']).error === undefined;

const PASSWORD = 'the login password';

/** A desktop session: a real D-Bus and a real GNOME Keyring, with a temporary home folder. */
export interface Session extends AsyncDisposable {
  /** The environment of programs in this session. */
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Starts the keychain; `unlocked` as after a login with the password. */
  startKeyring(state: 'unlocked' | 'locked'): Promise<void>;
  /** Unlocks the running keychain as a login would. */
  unlock(): Promise<void>;
  stopKeyring(): Promise<void>;
  /** Makes the keychain show its prompts from now on, which nobody answers. */
  showPrompts(): Promise<void>;
  /** Freezes the running keychain until it ends, like one that waits for a person. */
  freezeKeyring(): void;
}

export async function openSession(): Promise<Session> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-home-'));
  const runtime = join(home, 'run');
  await mkdir(runtime, { mode: 0o700 });
  await mkdir(join(home, '.local', 'share', 'keyrings'), { recursive: true });
  const config = join(home, 'bus.conf');
  // No service folders: nothing is started on demand, least of all a person's own keychain.
  await writeFile(config, BUS_CONFIG);
  const bus = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [address] = await once(createInterface({ input: bus.stdout }), 'line');
  const environment = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    DBUS_SESSION_BUS_ADDRESS: String(address),
  };
  let daemon: ChildProcess | null = null;
  let prompter: ChildProcess | null = null;
  const run = (args: readonly string[]) =>
    spawn('gnome-keyring-daemon', args, { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
  const stopKeyring = async () => await end(daemon);
  return {
    environment,
    home,
    stopKeyring,
    async startKeyring(state) {
      const started = run([
        '--foreground',
        '--components=secrets',
        ...(state === 'unlocked' ? ['--unlock'] : []),
      ]);
      daemon = started;
      const ready = nameAppears(environment, 'org.freedesktop.secrets');
      started.stdin.end(state === 'unlocked' ? PASSWORD : '');
      await ready;
    },
    async showPrompts() {
      prompter = spawn('dbus-test-tool', ['black-hole', '--session', `--name=${PROMPTER}`], {
        env: environment,
        stdio: 'ignore',
      });
      await nameAppears(environment, PROMPTER);
    },
    freezeKeyring() {
      daemon?.kill('SIGSTOP');
    },
    unlock: () => unlockAt(join(runtime, 'keyring', 'control')),
    async [Symbol.asyncDispose]() {
      await end(prompter);
      await stopKeyring();
      await end(bus);
      await rm(home, { recursive: true });
    },
  };
}

async function unlockAt(control: string): Promise<void> {
  const socket = connect(control);
  socket.write(unlockRequest(PASSWORD));
  const [answer] = await once(socket, 'data');
  socket.destroy();
  if (!Buffer.from(UNLOCKED).equals(answer)) throw new Error('The keychain was not unlocked.');
}

/**
 * Builds the message of the login screen: a byte for the credentials, then length, operation 1 (unlock), and the password with
 * its length.
 */
function unlockRequest(password: string): Buffer {
  const request = Buffer.alloc(13 + password.length);
  request.writeUInt32BE(12 + password.length, 1);
  request.writeUInt32BE(1, 5);
  request.writeUInt32BE(password.length, 9);
  request.write(password, 13);
  return request;
}

/** Length 8, result 0. */
const UNLOCKED = [0, 0, 0, 8, 0, 0, 0, 0];

async function end(child: ChildProcess | null): Promise<void> {
  if (child !== null && child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    child.kill();
    // A frozen process handles no signal until it continues.
    child.kill('SIGCONT');
    await closed;
  }
}

/** Bus name of the program that shows the keychain's prompts. */
const PROMPTER = 'org.gnome.keyring.SystemPrompter';

/** Resolves when a program is on the bus under this name. */
async function nameAppears(environment: NodeJS.ProcessEnv, name: string): Promise<void> {
  const call = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/org/freedesktop/DBus',
    'org.freedesktop.DBus.NameHasOwner',
    `string:${name}`,
  ];
  const asked = () => spawnSync('dbus-send', call, { env: environment, encoding: 'utf8' }).stdout;
  while (!asked().includes('boolean true')) await pause(20);
}

const BUS_CONFIG = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;
