import type { TaskEffect } from '../scenarios/effect.ts';
import type { Gates } from '../scenarios/gates.ts';
import {
  type JsonObject,
  optionalFlag,
  requireNumber,
  requireObject,
  requireText,
} from '../json.ts';
import { chooseScenario } from '../scenarios/scenario.ts';
import type { PersistentList } from '../persistent-list.ts';

/** A video order. Its state follows from the wall clock, so it also proceeds while no sandbox runs. */
export interface VideoOrder {
  readonly id: string;
  /** A second valid id of the task. */
  readonly alias?: string;
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly fails: boolean;
  /** Unix time in milliseconds. */
  readonly orderedAt: number;
  readonly renderMs: number;
  /** Path of the finished video on the media origin. */
  readonly mediaPath: string;
  /** The scenarios of the order. */
  readonly scenarios: readonly string[];
}

/** A video task. Its counters begin at zero at the start of the sandbox. */
export class VideoTask {
  readonly order: VideoOrder;
  readonly effect: TaskEffect;
  polls = 0;
  downloads = 0;
  /** Number of issued URLs of its content. */
  links = 0;
  readonly usedLinks = new Set<string>();
  readonly #gates: Gates;

  constructor(order: VideoOrder, gates: Gates) {
    this.order = order;
    this.#gates = gates;
    this.effect = chooseScenario(order.scenarios).task ?? {};
  }

  /** Milliseconds since the order. */
  get age(): number {
    return Date.now() - this.order.orderedAt;
  }

  /** The state by its gate, or else by the time since the order; the task waits in the first third of the render time. */
  get state(): 'waiting' | 'processing' | 'completed' | 'failed' {
    const { fails, renderMs } = this.order;
    const { gate } = this.effect;
    const isReady = gate === undefined ? this.age >= renderMs : this.#gates.isOpen(gate);
    if (isReady) return fails ? 'failed' : 'completed';
    return gate === undefined && this.age * 3 < renderMs ? 'waiting' : 'processing';
  }

  /** Whether the task is no longer found. */
  get isForgotten(): boolean {
    return this.polls >= (this.effect.forgottenFrom ?? Infinity);
  }
}

const MAX_TASKS = 10_000;

interface VideoTasksOptions {
  readonly origin: string;
  readonly list: PersistentList<VideoOrder>;
  readonly gates: Gates;
}

/** The latest 10,000 tasks of an account. */
export class VideoTasks {
  readonly origin: string;
  readonly #list: PersistentList<VideoOrder>;
  readonly #gates: Gates;
  readonly #byId = new Map<string, VideoTask>();
  readonly #byAlias = new Map<string, VideoTask>();
  readonly #byPath = new Map<string, VideoTask>();

  /** `origin` is the media origin, without a trailing slash. */
  constructor({ origin, list, gates }: VideoTasksOptions) {
    this.origin = origin;
    this.#list = list;
    this.#gates = gates;
    for (const order of list.entries) this.#insert(order);
  }

  get orders(): readonly VideoOrder[] {
    return [...this.#byId.values()].map(({ order }) => order);
  }

  add(order: VideoOrder): VideoTask {
    const task = this.#insert(order);
    this.#trim();
    this.#list.save(this.orders);
    return task;
  }

  find(id: string): VideoTask | undefined {
    return this.#byId.get(id) ?? this.#byAlias.get(id);
  }

  /** Finds the completed task whose content has this path on the media origin. */
  findByPath(path: string): VideoTask | undefined {
    const task = this.#byPath.get(path);
    return task?.state === 'completed' ? task : undefined;
  }

  #insert(order: VideoOrder): VideoTask {
    const task = new VideoTask(order, this.#gates);
    this.#byId.set(order.id, task);
    if (order.alias !== undefined) this.#byAlias.set(order.alias, task);
    this.#byPath.set(order.mediaPath, task);
    return task;
  }

  #trim(): void {
    const [oldest] = this.#byId.values();
    if (this.#byId.size <= MAX_TASKS || !oldest) return;
    this.#byId.delete(oldest.order.id);
    this.#byAlias.delete(oldest.order.alias ?? '');
    this.#byPath.delete(oldest.order.mediaPath);
  }
}

/** Parses a stored order. */
export function parseOrder(value: unknown): VideoOrder {
  const order = requireObject(value);
  const { alias, scenarios } = order;
  if (!Array.isArray(scenarios)) throw new Error('An order has no scenarios.');
  return {
    id: requireText(order, 'id'),
    ...(typeof alias === 'string' && { alias }),
    model: requireText(order, 'model'),
    prompt: requireText(order, 'prompt'),
    ...parseTimes(order),
    fails: optionalFlag(order, 'fails'),
    mediaPath: requireText(order, 'mediaPath'),
    // Throws for a scenario that no longer exists.
    scenarios: chooseScenario(scenarios.map(String)).requested,
  };
}

function parseTimes(order: JsonObject) {
  return {
    seconds: requireNumber(order, 'seconds'),
    orderedAt: requireNumber(order, 'orderedAt'),
    renderMs: requireNumber(order, 'renderMs'),
  };
}
