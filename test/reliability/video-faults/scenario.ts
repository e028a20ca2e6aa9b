import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandbox, type Sandbox } from '../../../sandbox/server.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import type { Bundle } from './bundle.ts';
import { Random } from '../../kit/random.ts';
import { checkCharges, checkEnds, checkFolder, checkKnown, type Evidence, plays } from './check.ts';
import { Clients, isSettled } from './clients.ts';
import { Clock } from './clock.ts';
import type { Feature } from './features.ts';
import { type ServiceFront, openServiceFront } from './engine/service-front.ts';
import type { EngineCommand, Start, EngineMessage } from './messages.ts';
import { decide, isAtRest } from './person.ts';
import type { Points } from './points.ts';
import { type RunResult, runEngine } from './engine/run.ts';
import { RunStats } from './run-stats.ts';
import { planActions, toNewVideo, type Plan } from './planned-actions.ts';

export interface ScenarioOptions {
  readonly bundle: Bundle;
  readonly seed: number;
  readonly stats: RunStats;
  /** The points where a fault may occur. */
  readonly points: Points;
  /** Number of runs with a fault; after them the engine runs undisturbed. */
  readonly maxFaults: number;
  readonly features: ReadonlySet<Feature>;
}

const PLAYED_ONE_IN = 20;
const FIRST_WISHES = 4;
/** A scenario without faults starts with all its videos at once. */
const CALM_WISHES = 16;
/** Share of scenarios in strict mode. */
const STRICT = 0.3;
/** Share of runs with a second engine. */
const RIVALS = 0.15;

/** Runs some videos from order to file, with an engine that is killed or cut off repeatedly. Errors are added to the statistics. */
export async function runScenario(options: ScenarioOptions): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-scenario-'));
  const sandbox = await openSandbox();
  try {
    const images = [0, 1].map((n) => join(dataDir, `image-${n}.png`));
    for (const [n, image] of images.entries()) await writeFile(image, toPng(n));
    const imageUrl = await uploadImage(sandbox);
    await new FaultScenario(options, { dataDir, sandbox, images, imageUrl }).run();
  } finally {
    await sandbox.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The header of an image of one pixel, and a suffix that makes it unique. */
function toPng(number: number): Buffer {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.from(String(number))]);
}

interface ScenarioSetup {
  readonly dataDir: string;
  readonly sandbox: Sandbox;
  readonly images: readonly string[];
  /** Address of an image that the service has. */
  readonly imageUrl: string;
}

/** State of one run of the engine. */
interface Run {
  readonly send: (order: EngineCommand) => void;
  /** Commands that this run has already received. */
  readonly asked: Set<string>;
  /** Orders that the service had before the run. */
  readonly ordersBefore: Sandbox['orders'];
  /** Aborts when the run has ended. */
  readonly signal: AbortSignal;
}

class FaultScenario {
  readonly #options: ScenarioOptions;
  readonly #setup: ScenarioSetup;
  readonly #random: Random;
  readonly #clients: Clients;
  readonly #clock: Clock;
  readonly #strict: boolean;
  readonly #allWishes: readonly Plan[];
  /** Videos ordered so far; each run adds another one, so that there is always one to interrupt. */
  #wishes: readonly Plan[] = [];
  /** Submissions confirmed by a user, by prompt. */
  readonly #confirmed = new Map<string, number>();
  readonly #decided = new Set<string>();
  #jobs: readonly VideoJob[] = [];
  #localKey = '';
  #run: Run | null = null;

  constructor(options: ScenarioOptions, setup: ScenarioSetup) {
    const { seed, stats, maxFaults, features } = options;
    this.#options = options;
    this.#setup = setup;
    this.#random = new Random(seed);
    this.#clients = new Clients(stats, setup.sandbox);
    this.#clock = new Clock(this.#random, features);
    this.#strict = features.has('strict') && this.#random.is(STRICT);
    const calm = maxFaults === 0;
    const count = calm ? CALM_WISHES : FIRST_WISHES + maxFaults;
    const scenarioId = String(seed);
    this.#allWishes = planActions({ random: this.#random, scenarioId, count, features, calm });
  }

  async run(): Promise<void> {
    const { stats, maxFaults, features } = this.#options;
    const { dataDir, sandbox, imageUrl } = this.#setup;
    await using front = await openServiceFront({
      sandbox,
      imageUrl,
      failedLists: features.has('repairs') ? this.#random.below(3) : 0,
      onHeld: () => this.#passTime(front),
    });
    for (let number = 0; number <= maxFaults; number += 1) {
      const mayFail = number < maxFaults;
      this.#wishes = this.#allWishes.slice(0, mayFail ? FIRST_WISHES + number : undefined);
      const ended = await this.#runOnce(front, mayFail);
      this.#count(ended);
      const isFine = ended.how === 'closed' || (mayFail && ended.how === 'killed');
      if (!isFine)
        return this.#addError(
          `The engine was ${ended.how}: ${ended.errorOutput}${this.#waiting()}`,
        );
    }
    const evidence = this.#evidence();
    const errors = [
      ...checkCharges(evidence),
      ...checkKnown(evidence),
      ...(await checkEnds(evidence, sandbox)),
      ...(await checkFolder(evidence, join(dataDir, 'videos'))),
      ...this.#clients.contradictions(this.#wishes, maxFaults === 0),
    ];
    for (const wrong of errors) this.#addError(wrong);
    stats.scenarios += 1;
    stats.orders += evidence.orders.length;
    await this.#countVideos();
  }

  async #runOnce(front: ServiceFront, mayFail: boolean): Promise<RunResult> {
    const { bundle, points, features } = this.#options;
    const { dataDir, sandbox } = this.#setup;
    const plan = mayFail ? points.plan(this.#random) : { faults: [], killAfterMs: null, downMs: 0 };
    const asked = new Set<string>();
    const runEnd = new AbortController();
    const ordersBefore = sandbox.orders;
    const { key } = sandbox;
    const start: Start = {
      dataDir,
      baseUrl: front.url,
      key,
      localKey: this.#localKey,
      strict: this.#strict,
      onlyLock: false,
    };
    const withRival = features.has('second-engine') && this.#random.is(RIVALS);
    const ended = await runEngine({
      ...plan,
      bundle,
      start,
      withRival,
      onMessage: (message, send) => {
        this.#run = { send, asked, ordersBefore, signal: runEnd.signal };
        this.#handleMessage(message, this.#run, front);
      },
    });
    runEnd.abort();
    this.#run = null;
    front.release();
    return ended;
  }

  #handleMessage(message: EngineMessage, run: Run, front: ServiceFront): void {
    switch (message.kind) {
      case 'found':
        this.#checkBefore(message.jobs, run);
        this.#setClock(run, (wish) => isSettled(this.#jobOf(wish.prompt)), 'between');
        return;
      case 'open':
        this.#localKey = message.localKey;
        // The current list changes all the time; the jobs from the start of the run are stable.
        for (const wish of this.#wishes) if (wish.who === 'person') this.#wantOnce(wish, run);
        for (const wish of this.#wishes) {
          if (wish.who === 'client') this.#orderAsClient(wish, message.port, run);
        }
        return;
      case 'jobs':
        this.#jobs = message.jobs;
        this.#checkProgress(run);
        return;
      case 'clock-set':
        front.release();
        return;
      case 'pong':
      case 'locked':
      case 'refused':
        return;
      case 'held':
        return this.#addError('The folder of an engine that ended is held');
      case 'trouble':
        this.#addError(`The engine's log: ${message.text}`);
    }
  }

  /** The response to an order is delayed: the ten minutes of others may end now. */
  #passTime(front: ServiceFront): void {
    const run = this.#run;
    if (run === null) return front.release();
    const isTaken = (wish: Plan) => !front.holding.has(wish.prompt) && this.#clients.isTaken(wish);
    this.#setClock(run, isTaken, 'while one waits');
  }

  #setClock(run: Run, settled: (wish: Plan) => boolean, when: 'between' | 'while one waits'): void {
    const mayForget = this.#clients.mayForget(this.#wishes, settled);
    const moved = this.#clock.move(when, mayForget);
    if (moved !== null) RunStats.count(this.#options.stats.tried, moved);
    run.send({ kind: 'clock', aheadMs: this.#clock.aheadMs });
  }

  #checkProgress(run: Run): void {
    for (const wrong of checkCharges(this.#evidence())) this.#addError(wrong);
    for (const job of this.#jobs) this.#decideOnce(job, run);
    const mine = this.#wishes.map(({ prompt }) => this.#jobOf(prompt));
    const waits = mine.some((job) => job === undefined || !isAtRest(job));
    if (!waits && this.#wishes.every((wish) => this.#clients.isAnswered(wish))) {
      run.send({ kind: 'close' });
    }
  }

  /** Called before anything runs: earlier orders must be known, whatever happened to the engine. */
  #checkBefore(jobs: readonly VideoJob[], { ordersBefore }: Run): void {
    for (const { state } of jobs) RunStats.count(this.#options.stats.found, state);
    this.#jobs = jobs;
    const evidence = { ...this.#evidence(), orders: ordersBefore };
    for (const wrong of checkKnown(evidence)) this.#addError(wrong);
  }

  #wantOnce(wish: Plan, { send }: Run): void {
    const { prompt, atOnce } = wish;
    if (this.#jobOf(prompt) !== undefined) return;
    if (atOnce) this.#confirmed.set(prompt, 1);
    const image = this.#setup.images[wish.image] ?? '';
    send({ kind: 'add', video: toNewVideo(wish), image, confirmed: atOnce });
  }

  /** Decides once in a run for each time that a job entered its state; an equal decision in a later run is an equal confirmation. */
  #decideOnce(job: VideoJob, { send, asked }: Run): void {
    const prompt = job.request.prompt ?? '';
    const situation = `${job.id} ${job.state} ${job.stateSince} ${job.word}`;
    if (asked.has(situation)) return;
    const orders = this.#ordersOf(prompt);
    const action = decide({ job, orders, random: this.#random });
    if (action === null) return;
    asked.add(situation);
    if (!this.#decided.has(`${situation} ${action.type}`)) {
      this.#decided.add(`${situation} ${action.type}`);
      RunStats.count(this.#options.stats.acts, `${job.state}: ${action.type}`);
      const before = this.#confirmed.get(prompt) ?? 0;
      if (action.type === 'confirm' || action.type === 'submit-again') {
        this.#confirmed.set(prompt, before + 1);
      }
    }
    send({ kind: 'act', id: job.id, action });
  }

  #orderAsClient(wish: Plan, port: number, run: Run): void {
    const { stats } = this.#options;
    const { prompt, habit } = wish;
    if (!this.#confirmed.has(prompt)) {
      const times = habit.copies === 1 ? 'once' : `${habit.copies} times at the same moment`;
      RunStats.count(stats.tried, `order of a client as ${habit.body}, ${times}`);
    }
    this.#confirmed.set(prompt, 1);
    const { imageUrl } = this.#setup;
    const way = { port, localKey: this.#localKey, imageUrl, image: toPng(8), signal: run.signal };
    this.#clients.order(wish, way, () => this.#checkProgress(run));
  }

  #count({ how, entries, rival }: RunResult): void {
    const { stats, points } = this.#options;
    if (rival !== null) RunStats.count(stats.tried, `second engine: ${rival}`);
    if (rival === 'runs') this.#addError('A second engine runs on the same folder');
    const faults = entries.filter((entry) => entry.is === 'fault');
    const cuts = faults.filter((fault) => fault.how === 'cut');
    for (const { point } of cuts) RunStats.count(stats.cuts, point);
    const killedAt = faults.find((fault) => fault.how === 'kill')?.point ?? 'at any moment';
    if (how === 'killed') RunStats.count(stats.kills, killedAt);
    if (how === 'killed' || cuts.length > 0) stats.faulty += 1;
    else stats.quiet += 1;
    points.learn(entries);
  }

  async #countVideos(): Promise<void> {
    const { stats } = this.#options;
    for (const job of this.#jobs.filter(({ state }) => state === 'done')) {
      stats.videos += 1;
      if (stats.videos % PLAYED_ONE_IN !== 1) continue;
      stats.played += 1;
      if (!(await plays(job))) this.#addError(`It does not play: ${JSON.stringify(job)}`);
    }
  }

  #evidence(): Evidence {
    const { orders } = this.#setup.sandbox;
    return { wishes: this.#wishes, jobs: this.#jobs, orders, confirmed: this.#confirmed };
  }

  /** Returns the videos that are not completed, with their jobs. */
  #waiting(): string {
    const all = this.#wishes.map((wish) => ({
      prompt: wish.prompt,
      job: this.#jobOf(wish.prompt),
      isAnswered: this.#clients.isAnswered(wish),
    }));
    const waits = all.filter(({ job, isAnswered }) => !job || !isAtRest(job) || !isAnswered);
    return waits.length === 0 ? 'All was done.' : JSON.stringify(waits);
  }

  #jobOf(prompt: string): VideoJob | undefined {
    return this.#jobs.find(({ request }) => request.prompt === prompt);
  }

  #ordersOf(prompt: string) {
    return this.#setup.sandbox.orders.filter((order) => order.prompt === prompt);
  }

  #addError(text: string): void {
    this.#options.stats.errors.push(`Scenario ${this.#options.seed}: ${text}`);
  }
}

async function uploadImage({ url, key }: Sandbox): Promise<string> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(toPng(9))], 'client.png', { type: 'image/png' }));
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form });
  const body: unknown = await answer.json();
  return String(Reflect.get(Object(body), 'file_url'));
}
