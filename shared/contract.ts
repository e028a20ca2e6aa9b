import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { ClientId, ClientName, ClientSummary, NewClient } from './client.ts';
import { ExchangeId } from './exchange.ts';
import { Attention, ExchangeDetail, HistoryFilter, HistoryPage, UsageDay } from './history.ts';
import { ModelList, ModelMeaning, ModelTrial } from './model.ts';
import { DataFolder, SettingsChange, SettingsInForce } from './settings.ts';
import { LiveEvent, Status } from './status.ts';
import {
  KeyState,
  ServiceKey,
  TestVerdict,
  Upstream,
  UpstreamForm,
  UpstreamId,
} from './upstream.ts';

/** The planned failures of a call. The message is for people: what was wrong and what to do. */
const PROBLEMS = {
  /** It cannot be done as asked; `field` names the input to blame, when one is. */
  REFUSED: { status: 422, data: z.object({ field: z.string().nullable() }) },
  /** What was asked for is not there, or not any more. */
  NOT_FOUND: { status: 404 },
} as const;

const call = oc.errors(PROBLEMS);

const OneClient = z.object({ id: ClientId });
const OneUpstream = z.object({ id: UpstreamId });
const OneModel = z.object({ model: z.string().min(1).max(256) });

/** Everything a window can ask of a gateway: the one door for it, whatever the transport. */
export const contract = {
  status: {
    get: call.output(Status),
    /** Never ends by itself. Begins with `hello`, then `running` as it is now. */
    events: call.output(eventIterator(LiveEvent)),
    /** A text to paste into a report: versions, states, sizes. No secret and no name of a person's own. */
    diagnostics: call.output(z.string()),
  },
  home: {
    /** The last 30 local days, oldest first, days without exchanges included; today is the last. */
    days: call.output(z.array(UsageDay)),
    /** Most urgent first. */
    attention: call.output(z.array(Attention)),
  },
  history: {
    page: call
      .input(
        z.object({
          filter: HistoryFilter,
          limit: z.number().int().min(1).max(500),
          before: ExchangeId.optional(),
        }),
      )
      .output(HistoryPage),
    get: call.input(z.object({ id: ExchangeId })).output(ExchangeDetail),
    /** How many exchanges the filter lets through, counted up to `upTo`. */
    count: call
      .input(z.object({ filter: HistoryFilter, upTo: z.number().int().min(1).max(1_000_000) }))
      .output(z.number().int()),
    /** Names of clients and models to filter by, most used first. */
    names: call.output(z.object({ clients: z.array(z.string()), models: z.array(z.string()) })),
    /** The text of a file, piece by piece, newest exchange first, with the number of exchanges so far. */
    export: call
      .input(z.object({ filter: HistoryFilter, format: z.enum(['csv', 'jsonl']) }))
      .output(eventIterator(z.object({ text: z.string(), exchanges: z.number().int() }))),
    /** Deletes every exchange. Gives how many. */
    erase: call.output(z.number().int()),
  },
  models: {
    list: call.output(ModelList),
    /** Fetches the list from the service now; what stands in the way is its `problem`. */
    refresh: call.output(ModelList),
    explain: call.input(z.object({ name: z.string().min(1).max(256) })).output(ModelMeaning),
    /** One short chat call through the proxy, recorded like any other. It costs what it costs. */
    try: call.input(OneModel).output(ModelTrial),
  },
  clients: {
    /** Revoked ones too, oldest first. */
    list: call.output(z.array(ClientSummary)),
    add: call.input(z.object({ name: ClientName })).output(NewClient),
    rename: call.input(z.object({ id: ClientId, name: ClientName })),
    /** Ends the client's local key and gives it another. */
    renew: call.input(OneClient).output(NewClient),
    revoke: call.input(OneClient),
  },
  upstreams: {
    /** The sandbox last. */
    list: call.output(z.array(Upstream.extend({ key: KeyState }))),
    /** Reads an address as people paste it, with one sentence for each thing corrected. */
    read: call
      .input(z.object({ text: z.string().max(2048) }))
      .output(z.object({ url: z.string(), corrections: z.array(z.string()) })),
    /** Asks the service for its models. `key`: `null` for the one that is kept for this address. Keeps nothing. */
    test: call
      .input(z.object({ form: UpstreamForm, key: ServiceKey.nullable() }))
      .output(TestVerdict),
    add: call.input(UpstreamForm).output(Upstream),
    change: call.input(z.object({ id: UpstreamId, form: UpstreamForm })).output(Upstream),
    /** Sends new exchanges to this upstream; running ones finish where they are. */
    use: call.input(OneUpstream),
    /** Forgets its key too. */
    remove: call.input(OneUpstream),
    /** `file`: in plain text in the data folder, only ever because a person chose so. */
    saveKey: call
      .input(OneUpstream.extend({ key: ServiceKey, place: z.enum(['keychain', 'file']) }))
      .output(KeyState),
    forgetKey: call.input(OneUpstream).output(KeyState),
    /** Looks again at where the key is kept: after a keychain was unlocked. */
    readKey: call.input(OneUpstream).output(KeyState),
  },
  settings: {
    get: call.output(SettingsInForce),
    /** Takes effect at once; running exchanges finish as they began. */
    change: call.input(SettingsChange).output(SettingsInForce),
    data: call.output(DataFolder),
  },
};
export type Contract = typeof contract;
