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
  },
  home: {
    /** Returns the last 30 local days, oldest first, including days without exchanges; today is the last. */
    days: procedure.output(z.array(UsageDay)),
    /** Returns problems, most urgent first. */
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
    /** Counts the exchanges that match the filter, up to `upTo`. */
    count: procedure
      .input(z.object({ filter: HistoryFilter, upTo: z.number().int().min(1).max(1_000_000) }))
      .output(z.number().int()),
    /** Returns names of clients and models to filter by, most used first. */
    names: procedure.output(
      z.object({ clients: z.array(z.string()), models: z.array(z.string()) }),
    ),
    /** Exports exchanges as chunks of text, newest first, with the number of exchanges so far. */
    export: procedure
      .input(z.object({ filter: HistoryFilter, format: z.enum(['csv', 'jsonl']) }))
      .output(eventIterator(z.object({ text: z.string(), exchanges: z.number().int() }))),
    /** Deletes every exchange. Returns their number. */
    erase: procedure.output(z.number().int()),
  },
  models: {
    list: procedure.output(ModelList),
    /** Fetches the list from the service now; a failure is its `problem`. */
    refresh: procedure.output(ModelList),
    explain: procedure
      .input(z.object({ name: z.string().min(1).max(256) }))
      .output(ModelResolution),
    /** Makes one short chat call through the proxy, recorded like any other. The service may charge for it. */
    try: procedure.input(ModelInput).output(ModelTestReport),
  },
  clients: {
    /** Lists clients, revoked ones too, oldest first. */
    list: procedure.output(z.array(ClientSummary)),
    add: procedure.input(z.object({ name: ClientName })).output(NewClient),
    rename: procedure.input(z.object({ id: ClientId, name: ClientName })),
    /** Replaces the client's local key; the old one is invalid at once. */
    renew: procedure.input(ClientInput).output(NewClient),
    revoke: procedure.input(ClientInput),
  },
  upstreams: {
    /** Lists upstreams; the sandbox is last. */
    list: procedure.output(z.array(Upstream.extend({ key: KeyState }))),
    /** Parses an address as people paste it, with one message for each correction. */
    read: procedure
      .input(z.object({ text: z.string().max(2048) }))
      .output(z.object({ url: z.string(), corrections: z.array(z.string()) })),
    /** Requests the models of the service. `key`: `null` for the key that is stored for this address. Stores nothing. */
    test: procedure
      .input(z.object({ form: UpstreamForm, key: ServiceKey.nullable() }))
      .output(ConnectionTestReport),
    add: procedure.input(UpstreamForm).output(Upstream),
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
    /**
     * Adds a video. `confirmed`: one submission, one charge. Otherwise it is stored as a draft and nothing is sent. The caller
     * creates `id` anew for each video: a call that arrives twice adds one video and gets the same answer.
     */
    add: procedure
      .input(z.object({ id: NewVideoId, video: NewVideo, confirmed: z.boolean() }))
      .output(VideoJob),
    /** Changes a draft. */
    change: procedure.input(VideoInput.extend({ video: NewVideo })).output(VideoJob),
    act: procedure.input(VideoInput.extend({ act: VideoAction })).output(VideoJob),
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
  settings: {
    get: procedure.output(EffectiveSettings),
    /** Changes settings with immediate effect; running exchanges finish with the old ones. */
    change: procedure.input(SettingsChange).output(EffectiveSettings),
    data: procedure.output(DataFolder),
  },
};
export type Contract = typeof contract;
