import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import {
  procedure,
  ImageUploadStart,
  ImageUploadChunk,
  ImageUploadId,
  ModelInput,
} from './procedure.ts';
import { LimitException, LimitId, LimitKind, LimitState, NewLimit } from './money/limit.ts';
import { BodiesSize, BodySearchResult, ExchangeBodies } from './exchange/body.ts';
import { MAX_BODY_TEXTS, MAX_TEXT_LENGTH } from './filter-language/limits.ts';
import {
  AliasId,
  ModelAlias,
  NewModelAlias,
  NewProfile,
  Profile,
  ProfileName,
} from './model-alias.ts';
import { connectionsContract } from './connect/connections-contract.ts';
import { listenersContract } from './connect/listeners-contract.ts';
import { chatContract } from './chat/chat-contract.ts';
import { doctorContract } from './doctor/doctor-contract.ts';
import {
  AllowedModels,
  ClientId,
  ClientName,
  ClientSummary,
  Expiry,
  KeepBodies,
  NewClient,
} from './client.ts';
import { ExchangeId, RunId } from './exchange/exchange.ts';
import { holdContract } from './exchange/hold.ts';
import { ExchangeMark, MarkChange, MarkSummary } from './exchange/exchange-mark.ts';
import { ExportChunk, ExportQuery } from './history/export.ts';
import {
  Attention,
  ExchangeDetail,
  HistoryCursor,
  HistoryFilter,
  HistoryPage,
  ServiceName,
  UsageDay,
} from './history/history.ts';
import { Cost } from './money/cost.ts';
import {
  PriceableUse,
  UsageGrouping,
  UsageGroups,
  UsageOverview,
  UsageInput,
} from './history/usage.ts';
import { pricesContract } from './money/prices-contract.ts';
import { reconcileContract } from './reconcile/reconcile-contract.ts';
import { ReplayCost, ReplayDraft, ReplayEvent, ReplayRequest } from './replay.ts';
import { CostedPlace, CostedRun, FixtureChunk, ListedRunPage, RunFilter } from './run/run.ts';
import { SavedFilter, SavedFilterName } from './saved-filter.ts';
import { ContentHash, StoredImage } from './image.ts';
import { ModelList, ModelResolution, ModelTestReport } from './model.ts';
import { DataFolder, EffectiveSettings, SettingsChange } from './settings.ts';
import { LiveEvent, Status } from './status.ts';
import {
  AddedUpstream,
  KeyPlaceState,
  KeyState,
  NewUpstream,
  ServiceKey,
  ConnectionTestReport,
  Upstream,
  UpstreamForm,
  UpstreamId,
} from './upstream.ts';
import {
  FieldMap,
  NewVideo,
  NewVideoId,
  VideoAction,
  VideoDetail,
  VideoFilter,
  VideoId,
  VideoJob,
  VideoPage,
  VideoPreset,
} from './video/video.ts';

const ClientInput = z.object({ id: ClientId });
const UpstreamInput = z.object({ id: UpstreamId });
const VideoInput = z.object({ id: VideoId });

/** The contract of the gateway for its windows, on every transport. */
export const contract = {
  status: {
    get: procedure.output(Status),
    /** Streams events without end. Starts with `hello`, then the current `running`. */
    events: procedure.output(eventIterator(LiveEvent)),
    /** Returns a text to paste into a report: versions, states, sizes. Without secrets and personal names. */
    diagnostics: procedure.output(z.string()),
    /** Rejects requests of clients, and orders no new video, until `resume` or the next start. Running exchanges continue. */
    pause: procedure,
    resume: procedure,
    /**
     * Ends this Gatehouse as Ctrl-C does: after the exchanges that run, whose number it returns, and at the latest after a minute. Only
     * for commands, and refused by the desktop app and by a command that waits for its videos.
     */
    stop: procedure.output(z.object({ running: z.number().int() })),
  },
  home: {
    /**
     * Returns the last 30 local days, oldest first, including days without exchanges; today is the last. These totals, and those of
     * models and clients, cover the sandbox while it is in use, and otherwise everything else.
     */
    days: procedure.output(z.array(UsageDay)),
    /** Returns problems, most urgent first. */
    attention: procedure.output(z.array(Attention)),
    /** Hides the problem `id` until it occurs after `at`, in Unix milliseconds. */
    dismiss: procedure.input(z.object({ id: z.string().max(4096), at: z.number().int() })),
  },
  history: {
    page: procedure
      .input(
        z.object({
          filter: HistoryFilter,
          limit: z.number().int().min(1).max(500),
          before: HistoryCursor.optional(),
        }),
      )
      .output(HistoryPage),
    get: procedure.input(z.object({ id: ExchangeId })).output(ExchangeDetail),
    /** Returns what an exchange cost; `null` when there is nothing to pay, or it is not stored. */
    cost: procedure
      .input(z.object({ id: ExchangeId }))
      .output(z.object({ cost: Cost, service: z.string().nullable() }).nullable()),
    /** Counts the exchanges that match the filter, up to `upTo`. */
    count: procedure
      .input(z.object({ filter: HistoryFilter, upTo: z.number().int().min(1).max(1_000_000) }))
      .output(z.number().int()),
    /** Returns names of clients, models, services, tools and tags to filter by, most used first, tools by their latest use. */
    names: procedure.output(
      z.object({
        clients: z.array(z.string()),
        models: z.array(z.string()),
        services: z.array(ServiceName),
        tools: z.array(z.string()),
        tags: z.array(z.string()),
      }),
    ),
    /** Exports exchanges as chunks of text, with the number of exchanges so far. */
    export: procedure.input(ExportQuery).output(eventIterator(ExportChunk)),
    /** Changes the pin, the note and the tags of an exchange that has ended. */
    mark: procedure.input(z.object({ id: ExchangeId, change: MarkChange })).output(ExchangeMark),
    /** Returns which of these exchanges there are, with their marks. */
    marks: procedure
      .input(z.object({ ids: z.array(ExchangeId).max(500) }))
      .output(z.array(z.object({ id: ExchangeId, mark: MarkSummary.nullable() }))),
    /** Pins all exchanges of a run that are stored now, or unpins them. Returns their number. */
    pinRun: procedure.input(z.object({ id: RunId, pinned: z.boolean() })).output(z.number().int()),
    /** Deletes an exchange that has ended, with its request and its response. */
    delete: procedure.input(z.object({ id: ExchangeId })),
    /** Deletes all exchanges of a run that are stored now. Returns their number. */
    deleteRun: procedure.input(z.object({ id: RunId })).output(z.number().int()),
    /** Deletes every exchange, pinned ones too. Returns their number. */
    erase: procedure.output(z.number().int()),
    /** Returns the bodies of an exchange, also of one in flight. `isRebuilt`: that one, too, with the messages before those of its request. */
    bodies: procedure
      .input(z.object({ id: ExchangeId, isRebuilt: z.boolean().default(true) }))
      .output(ExchangeBodies),
    bodiesSize: procedure.output(BodiesSize),
    /** Lists runs, the latest first. `before`: the `next` of the page before. */
    runs: procedure
      .input(
        z.object({
          filter: RunFilter,
          limit: z.number().int().min(1).max(200),
          before: z.string().max(200).nullable().default(null),
        }),
      )
      .output(ListedRunPage),
    run: procedure.input(z.object({ id: RunId })).output(CostedRun),
    /** Writes a run as a fixture for the sandbox, as chunks of text. */
    fixture: procedure.input(z.object({ id: RunId })).output(eventIterator(FixtureChunk)),
    /**
     * Sends a stored request for text once more, as the client "Replay". The service may charge for it. Ending the stream ends the
     * request.
     */
    replay: procedure.input(ReplayRequest).output(eventIterator(ReplayEvent)),
    /** Says what a request that is sent again would cost at each model. */
    estimateReplay: procedure.input(ReplayDraft).output(z.array(ReplayCost)),
    /** Returns the place of an exchange in its run, and why the cache missed; `null` when it has none. */
    step: procedure.input(z.object({ id: ExchangeId })).output(CostedPlace.nullable()),
    /** Finds exchanges whose requests and responses have all of these texts; streams what was found so far, for at most two seconds. */
    searchBodies: procedure
      .input(
        z.object({
          texts: z.array(z.string().min(1).max(MAX_TEXT_LENGTH)).min(1).max(MAX_BODY_TEXTS),
        }),
      )
      .output(eventIterator(BodySearchResult)),
    /** Filters that people have saved. */
    filters: {
      /** Lists them by name. */
      list: procedure.output(z.array(SavedFilter)),
      /** Saves a filter; replaces one of the same name. */
      save: procedure.input(SavedFilter),
      rename: procedure.input(z.object({ name: z.string(), to: SavedFilterName })),
      remove: procedure.input(z.object({ name: z.string() })),
    },
    /** Deletes every stored body, also of pinned exchanges, and keeps the exchanges. */
    eraseBodies: procedure,
  },
  /** Usage of periods of local days, of the exchanges that the totals of Home cover; and its comparison with an export. */
  usage: {
    /** Returns totals, their course, and the period of the same length before. */
    overview: procedure.input(UsageInput).output(UsageOverview),
    /** Returns the totals of each group. Of runs, the latest hundred. */
    groups: procedure.input(UsageInput.extend({ by: UsageGrouping })).output(UsageGroups),
    /** Returns how many exchanges were made before there was a price, so that `prices.recost` computes their costs. */
    priceable: procedure.input(UsageInput).output(PriceableUse),
    reconcile: reconcileContract,
  },
  models: {
    list: procedure.output(ModelList),
    /** Fetches the list from the service now; a failure is its `problem`. */
    refresh: procedure.output(ModelList),
    explain: procedure
      .input(z.object({ name: z.string().min(1).max(256) }))
      .output(ModelResolution),
    /**
     * Makes one short chat call through the proxy, recorded like any other. The service may charge for it. `localKey`: that of a
     * client in whose name it is made; by default it is the client "Window".
     */
    try: procedure
      .input(ModelInput.extend({ localKey: z.string().min(1).max(512).optional() }))
      .output(ModelTestReport),
  },
  /** Names of models that are sent as other models, and profiles of them. */
  aliases: {
    /** Lists the aliases and the profiles. */
    list: procedure.output(z.object({ aliases: z.array(ModelAlias), profiles: z.array(Profile) })),
    /** Sets an alias; it replaces one of the same profile, client and name. A profile that does not exist is added. */
    set: procedure.input(NewModelAlias).output(ModelAlias),
    remove: procedure.input(z.object({ id: AliasId })),
    profiles: {
      /** Adds a profile, or changes the upstream of the one of this name. */
      save: procedure.input(NewProfile),
      /** Removes a profile with its aliases. */
      remove: procedure.input(z.object({ name: ProfileName })),
      /** Uses a profile from the next request on, and its upstream if it names one; `null` for none. */
      use: procedure.input(z.object({ name: ProfileName.nullable() })),
    },
  },
  clients: {
    /** Lists clients, revoked ones too, oldest first. */
    list: procedure.output(z.array(ClientSummary)),
    add: procedure
      .input(z.object({ name: ClientName, expiresAt: Expiry.default(null) }))
      .output(NewClient),
    rename: procedure.input(z.object({ id: ClientId, name: ClientName })),
    /** Changes when the client's local key expires. An expired key works again until then. */
    setExpiry: procedure.input(z.object({ id: ClientId, expiresAt: Expiry })),
    /** Changes for how many days the requests and responses of a client are kept. */
    setKeepBodies: procedure.input(z.object({ id: ClientId, days: KeepBodies })),
    /** Changes which models a client may use. */
    setModels: procedure.input(z.object({ id: ClientId, models: AllowedModels })),
    /** Replaces the client's local key; the old one is invalid at once. */
    renew: procedure.input(z.object({ id: ClientId, expiresAt: Expiry })).output(NewClient),
    revoke: procedure.input(ClientInput),
    /** Refuses requests of a client for answers until `resume` or the next start. Those in flight go on. */
    stop: procedure.input(ClientInput),
    /** Lets a client go on that was stopped, or whose agent runs away. Returns whether there was one of both. */
    resume: procedure.input(ClientInput).output(z.boolean()),
    hold: holdContract,
    /** Returns the local key of the client "Terminal", with which commands ask. It is in memory only. */
    terminal: procedure.output(z.object({ key: z.string() })),
    limits: {
      /** Lists limits with what is used of them, at the service in use. */
      list: procedure.output(z.array(LimitState)),
      /** Returns what a limit of this kind would count as used now, at the service in use. */
      used: procedure.input(LimitKind).output(z.object({ used: z.number() })),
      /** Sets a limit; it replaces one for the same client, measure and period. */
      set: procedure.input(NewLimit),
      /** Lets pass what a limit would refuse: everything for an hour, or the next request. It still counts. */
      allow: procedure.input(z.object({ id: LimitId, exception: LimitException })),
      remove: procedure.input(z.object({ id: LimitId })),
    },
  },
  connections: connectionsContract,
  doctor: doctorContract,
  upstreams: {
    /** Lists upstreams; the sandbox is last. */
    list: procedure.output(z.array(Upstream.extend({ key: KeyState }))),
    /** Parses an address as people paste it, with one message for each correction. */
    read: procedure
      .input(z.object({ text: z.string().max(2048) }))
      .output(z.object({ url: z.string(), corrections: z.array(z.string()) })),
    /**
     * Requests the models of the service. `key`: `null` for the key that is stored for this address. `isNew`: it is one to add, so its
     * address must be new and a key is needed. Stores nothing.
     */
    test: procedure
      .input(
        z.object({
          form: UpstreamForm,
          key: ServiceKey.nullable(),
          isNew: z.boolean().default(false),
        }),
      )
      .output(ConnectionTestReport),
    /** Tests a service with its key and adds both, and uses it when asked to; or adds nothing at all. */
    add: procedure.input(NewUpstream).output(AddedUpstream),
    /** Returns where service keys can be stored on this system; the first that works is the best. */
    keyPlaces: procedure.output(z.array(KeyPlaceState)),
    change: procedure.input(z.object({ id: UpstreamId, form: UpstreamForm })).output(Upstream),
    /** Sends new exchanges to this upstream; running ones finish at the old one. */
    use: procedure.input(UpstreamInput),
    /** Removes an upstream and its key. */
    remove: procedure.input(UpstreamInput),
    /** Stores the service key. `file`: in plain text in the data folder, only when a person chose so. */
    saveKey: procedure
      .input(UpstreamInput.extend({ key: ServiceKey, place: z.enum(['keychain', 'file']) }))
      .output(KeyState),
    forgetKey: procedure.input(UpstreamInput).output(KeyState),
    /** Reads the stored key again, after a keychain was unlocked. */
    readKey: procedure.input(UpstreamInput).output(KeyState),
  },
  videos: {
    page: procedure
      .input(
        z.object({
          filter: VideoFilter,
          limit: z.number().int().min(1).max(200),
          after: VideoId.optional(),
        }),
      )
      .output(VideoPage),
    get: procedure.input(VideoInput).output(VideoDetail),
    /** Returns the video that an exchange ordered, checked or downloaded; `null` when it is unknown which, or removed. */
    ofExchange: procedure.input(z.object({ id: ExchangeId })).output(VideoId.nullable()),
    /**
     * Adds a video. `confirmed`: one submission, one charge. Otherwise it is stored as a draft and nothing is sent. The caller
     * creates `id` anew for each video: a call that arrives twice adds one video and gets the same answer.
     */
    add: procedure
      .input(z.object({ id: NewVideoId, video: NewVideo, confirmed: z.boolean() }))
      .output(VideoJob),
    /** Changes a draft. */
    change: procedure.input(VideoInput.extend({ video: NewVideo })).output(VideoJob),
    act: procedure.input(VideoInput.extend({ action: VideoAction })).output(VideoJob),
    /** Moves a waiting job before another waiting one; `null`: to the end. */
    move: procedure.input(VideoInput.extend({ before: VideoId.nullable() })),
    /** Removes an inactive job from the list; its file stays unless `deleteFile` is set. */
    remove: procedure.input(VideoInput.extend({ deleteFile: z.boolean() })),
    image: {
      begin: procedure.input(ImageUploadStart).output(z.object({ upload: ImageUploadId })),
      /** Appends the next chunk, at most 512 KiB. */
      append: procedure.input(ImageUploadChunk),
      /** Stores the image, if it is complete and valid. */
      finish: procedure.input(z.object({ upload: ImageUploadId })).output(StoredImage),
    },
    /** Returns an address of a file for this window, valid during its session. */
    media: procedure
      .input(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('video'), id: VideoId }),
          z.object({ kind: z.literal('image'), hash: ContentHash }),
        ]),
      )
      .output(z.object({ url: z.string() })),
    /** Shows the file in the file manager of this machine. */
    reveal: procedure.input(VideoInput),
    presets: {
      list: procedure.output(z.array(VideoPreset)),
      /** Saves a preset; replaces one of the same name. */
      save: procedure.input(VideoPreset),
      remove: procedure.input(z.object({ name: z.string() })),
    },
    fields: {
      /** Returns the known fields of one service. */
      get: procedure.input(UpstreamInput).output(FieldMap),
      set: procedure.input(UpstreamInput.extend({ map: FieldMap })).output(FieldMap),
    },
  },
  chat: chatContract,
  prices: pricesContract,
  settings: {
    get: procedure.output(EffectiveSettings),
    /** Changes settings with immediate effect; running exchanges finish with the old ones. */
    change: procedure.input(SettingsChange).output(EffectiveSettings),
    data: procedure.output(DataFolder),
    listeners: listenersContract,
  },
};
export type Contract = typeof contract;
