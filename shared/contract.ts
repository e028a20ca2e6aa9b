import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import {
  procedure,
  ImageUploadStart,
  ImageUploadChunk,
  ImageUploadId,
  ModelInput,
} from './procedure.ts';
import { chatContract } from './chat-contract.ts';
import { ClientId, ClientName, ClientSummary, NewClient } from './client.ts';
import { ExchangeId } from './exchange.ts';
import { Attention, ExchangeDetail, HistoryFilter, HistoryPage, UsageDay } from './history.ts';
import { ContentHash, StoredImage } from './image.ts';
import { ModelList, ModelResolution, ModelTestReport } from './model.ts';
import { DataFolder, SettingsChange, EffectiveSettings } from './settings.ts';
import { LiveEvent, Status } from './status.ts';
import {
  KeyState,
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
} from './video.ts';

const ClientInput = z.object({ id: ClientId });
const UpstreamInput = z.object({ id: UpstreamId });
const VideoInput = z.object({ id: VideoId });

/** Everything a window can ask of a gateway: the one door for it, whatever the transport. */
export const contract = {
  status: {
    get: procedure.output(Status),
    /** Never ends by itself. Begins with `hello`, then `running` as it is now. */
    events: procedure.output(eventIterator(LiveEvent)),
    /** A text to paste into a report: versions, states, sizes. No secret and no name of a person's own. */
    diagnostics: procedure.output(z.string()),
    /** Turns clients away, and orders no new video, until it is resumed or Gatehouse starts again. What runs goes on. */
    pause: procedure,
    resume: procedure,
  },
  home: {
    /** The last 30 local days, oldest first, days without exchanges included; today is the last. */
    days: procedure.output(z.array(UsageDay)),
    /** Most urgent first. */
    attention: procedure.output(z.array(Attention)),
  },
  history: {
    page: procedure
      .input(
        z.object({
          filter: HistoryFilter,
          limit: z.number().int().min(1).max(500),
          before: ExchangeId.optional(),
        }),
      )
      .output(HistoryPage),
    get: procedure.input(z.object({ id: ExchangeId })).output(ExchangeDetail),
    /** How many exchanges the filter lets through, counted up to `upTo`. */
    count: procedure
      .input(z.object({ filter: HistoryFilter, upTo: z.number().int().min(1).max(1_000_000) }))
      .output(z.number().int()),
    /** Names of clients and models to filter by, most used first. */
    names: procedure.output(
      z.object({ clients: z.array(z.string()), models: z.array(z.string()) }),
    ),
    /** The text of a file, piece by piece, newest exchange first, with the number of exchanges so far. */
    export: procedure
      .input(z.object({ filter: HistoryFilter, format: z.enum(['csv', 'jsonl']) }))
      .output(eventIterator(z.object({ text: z.string(), exchanges: z.number().int() }))),
    /** Deletes every exchange. Gives how many. */
    erase: procedure.output(z.number().int()),
  },
  models: {
    list: procedure.output(ModelList),
    /** Fetches the list from the service now; what stands in the way is its `problem`. */
    refresh: procedure.output(ModelList),
    explain: procedure
      .input(z.object({ name: z.string().min(1).max(256) }))
      .output(ModelResolution),
    /** One short chat call through the proxy, recorded like any other. It costs what it costs. */
    try: procedure.input(ModelInput).output(ModelTestReport),
  },
  clients: {
    /** Revoked ones too, oldest first. */
    list: procedure.output(z.array(ClientSummary)),
    add: procedure.input(z.object({ name: ClientName })).output(NewClient),
    rename: procedure.input(z.object({ id: ClientId, name: ClientName })),
    /** Ends the client's local key and gives it another. */
    renew: procedure.input(ClientInput).output(NewClient),
    revoke: procedure.input(ClientInput),
  },
  upstreams: {
    /** The sandbox last. */
    list: procedure.output(z.array(Upstream.extend({ key: KeyState }))),
    /** Reads an address as people paste it, with one sentence for each thing corrected. */
    read: procedure
      .input(z.object({ text: z.string().max(2048) }))
      .output(z.object({ url: z.string(), corrections: z.array(z.string()) })),
    /** Asks the service for its models. `key`: `null` for the one that is kept for this address. Keeps nothing. */
    test: procedure
      .input(z.object({ form: UpstreamForm, key: ServiceKey.nullable() }))
      .output(ConnectionTestReport),
    add: procedure.input(UpstreamForm).output(Upstream),
    change: procedure.input(z.object({ id: UpstreamId, form: UpstreamForm })).output(Upstream),
    /** Sends new exchanges to this upstream; running ones finish where they are. */
    use: procedure.input(UpstreamInput),
    /** Forgets its key too. */
    remove: procedure.input(UpstreamInput),
    /** `file`: in plain text in the data folder, only ever because a person chose so. */
    saveKey: procedure
      .input(UpstreamInput.extend({ key: ServiceKey, place: z.enum(['keychain', 'file']) }))
      .output(KeyState),
    forgetKey: procedure.input(UpstreamInput).output(KeyState),
    /** Looks again at where the key is kept: after a keychain was unlocked. */
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
    /**
     * `confirmed`: one submission, one charge. Otherwise it is kept as a draft and nothing is sent. `id` is made by the caller and new for
     * each video: a call that arrives twice adds one video and is answered alike.
     */
    add: procedure
      .input(z.object({ id: NewVideoId, video: NewVideo, confirmed: z.boolean() }))
      .output(VideoJob),
    /** Drafts only. */
    change: procedure.input(VideoInput.extend({ video: NewVideo })).output(VideoJob),
    act: procedure.input(VideoInput.extend({ act: VideoAction })).output(VideoJob),
    /** Puts a waiting job before another waiting one; `null`: at the end. */
    move: procedure.input(VideoInput.extend({ before: VideoId.nullable() })),
    /** Takes a job that is not under way off the list; its file stays unless said otherwise. */
    remove: procedure.input(VideoInput.extend({ deleteFile: z.boolean() })),
    image: {
      begin: procedure.input(ImageUploadStart).output(z.object({ upload: ImageUploadId })),
      /** The next piece, at most 512 KiB of it. */
      append: procedure.input(ImageUploadChunk),
      /** Keeps the image once it is whole and is one. */
      finish: procedure.input(z.object({ upload: ImageUploadId })).output(StoredImage),
    },
    /** Where this window finds a file; for the life of this window's session. */
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
      /** Replaces one of the same name. */
      save: procedure.input(VideoPreset),
      remove: procedure.input(z.object({ name: z.string() })),
    },
    fields: {
      /** What is known of one service. */
      get: procedure.input(UpstreamInput).output(FieldMap),
      set: procedure.input(UpstreamInput.extend({ map: FieldMap })).output(FieldMap),
    },
  },
  chat: chatContract,
  settings: {
    get: procedure.output(EffectiveSettings),
    /** Takes effect at once; running exchanges finish as they began. */
    change: procedure.input(SettingsChange).output(EffectiveSettings),
    data: procedure.output(DataFolder),
  },
};
export type Contract = typeof contract;
