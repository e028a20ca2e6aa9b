import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { call, ImageBegin, ImagePiece, ImageUpload, OneModel } from './call.ts';
import { chatContract } from './chat-contract.ts';
import { ClientId, ClientName, ClientSummary, NewClient } from './client.ts';
import { ExchangeId } from './exchange.ts';
import { Attention, ExchangeDetail, HistoryFilter, HistoryPage, UsageDay } from './history.ts';
import { ContentHash, KeptImage } from './image.ts';
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
import {
  FieldMap,
  NewVideo,
  NewVideoId,
  VideoAct,
  VideoDetail,
  VideoFilter,
  VideoId,
  VideoJob,
  VideoPage,
  VideoPreset,
} from './video.ts';

const OneClient = z.object({ id: ClientId });
const OneUpstream = z.object({ id: UpstreamId });
const OneVideo = z.object({ id: VideoId });

/** Everything a window can ask of a gateway: the one door for it, whatever the transport. */
export const contract = {
  status: {
    get: call.output(Status),
    /** Never ends by itself. Begins with `hello`, then `running` as it is now. */
    events: call.output(eventIterator(LiveEvent)),
    /** A text to paste into a report: versions, states, sizes. No secret and no name of a person's own. */
    diagnostics: call.output(z.string()),
    /** Turns clients away, and orders no new video, until it is resumed or Gatehouse starts again. What runs goes on. */
    pause: call,
    resume: call,
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
  videos: {
    page: call
      .input(
        z.object({
          filter: VideoFilter,
          limit: z.number().int().min(1).max(200),
          after: VideoId.optional(),
        }),
      )
      .output(VideoPage),
    get: call.input(OneVideo).output(VideoDetail),
    /**
     * `confirmed`: one submission, one charge. Otherwise it is kept as a draft and nothing is sent. `id` is made by the caller and new for
     * each video: a call that arrives twice adds one video and is answered alike.
     */
    add: call
      .input(z.object({ id: NewVideoId, video: NewVideo, confirmed: z.boolean() }))
      .output(VideoJob),
    /** Drafts only. */
    change: call.input(OneVideo.extend({ video: NewVideo })).output(VideoJob),
    act: call.input(OneVideo.extend({ act: VideoAct })).output(VideoJob),
    /** Puts a waiting job before another waiting one; `null`: at the end. */
    move: call.input(OneVideo.extend({ before: VideoId.nullable() })),
    /** Takes a job that is not under way off the list; its file stays unless said otherwise. */
    remove: call.input(OneVideo.extend({ deleteFile: z.boolean() })),
    image: {
      begin: call.input(ImageBegin).output(z.object({ upload: ImageUpload })),
      /** The next piece, at most 512 KiB of it. */
      append: call.input(ImagePiece),
      /** Keeps the image once it is whole and is one. */
      finish: call.input(z.object({ upload: ImageUpload })).output(KeptImage),
    },
    /** Where this window finds a file; for the life of this window's session. */
    media: call
      .input(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('video'), id: VideoId }),
          z.object({ kind: z.literal('image'), hash: ContentHash }),
        ]),
      )
      .output(z.object({ url: z.string() })),
    /** Shows the file in the file manager of this machine. */
    reveal: call.input(OneVideo),
    presets: {
      list: call.output(z.array(VideoPreset)),
      /** Replaces one of the same name. */
      save: call.input(VideoPreset),
      remove: call.input(z.object({ name: z.string() })),
    },
    fields: {
      /** What is known of one service. */
      get: call.input(OneUpstream).output(FieldMap),
      set: call.input(OneUpstream.extend({ map: FieldMap })).output(FieldMap),
    },
  },
  chat: chatContract,
  settings: {
    get: call.output(SettingsInForce),
    /** Takes effect at once; running exchanges finish as they began. */
    change: call.input(SettingsChange).output(SettingsInForce),
    data: call.output(DataFolder),
  },
};
export type Contract = typeof contract;
