import { z } from 'zod';

// The fields of HAR 1.2 as its specification has them: http://www.softwareishard.com/blog/har-12-spec/
// Fields of programs begin with an underscore; any other is a mistake.

const comment = z.string().optional();
const Integer = z.number().int();
/** A size in bytes; -1 when it is not known. */
const Size = Integer.min(-1);
/** A time in milliseconds; -1 when it does not apply. */
const Phase = z.number().min(0).or(z.literal(-1));

/** Creates an object that has these fields, and those of programs. */
function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .looseObject(shape)
    .refine(
      (value) => Object.keys(value).every((name) => name.startsWith('_') || name in shape),
      'A field that HAR does not define.',
    );
}

const Pair = object({ name: z.string(), value: z.string(), comment });
const Program = object({ name: z.string(), version: z.string(), comment });
const Cookie = object({
  name: z.string(),
  value: z.string(),
  path: z.string().optional(),
  domain: z.string().optional(),
  expires: z.iso.datetime({ offset: true }).nullish(),
  httpOnly: z.boolean().optional(),
  secure: z.boolean().optional(),
  comment,
});

const PostData = object({
  mimeType: z.string(),
  text: z.string().optional(),
  params: z
    .array(
      object({
        name: z.string(),
        value: z.string().optional(),
        fileName: z.string().optional(),
        contentType: z.string().optional(),
        comment,
      }),
    )
    .optional(),
  comment,
});

const Request = object({
  method: z.string().min(1),
  url: z.url(),
  httpVersion: z.string(),
  cookies: z.array(Cookie),
  headers: z.array(Pair),
  queryString: z.array(Pair),
  postData: PostData.optional(),
  headersSize: Size,
  bodySize: Size,
  comment,
});

const Response = object({
  status: Integer,
  statusText: z.string(),
  httpVersion: z.string(),
  cookies: z.array(Cookie),
  headers: z.array(Pair),
  content: object({
    size: Integer.min(0),
    compression: Integer.optional(),
    mimeType: z.string(),
    text: z.string().optional(),
    encoding: z.string().optional(),
    comment,
  }),
  redirectURL: z.string(),
  headersSize: Size,
  bodySize: Size,
  comment,
});

const Timings = object({
  blocked: Phase.optional(),
  dns: Phase.optional(),
  connect: Phase.optional(),
  send: z.number().min(0),
  wait: z.number().min(0),
  receive: z.number().min(0),
  ssl: Phase.optional(),
  comment,
});

const Entry = object({
  pageref: z.string().optional(),
  startedDateTime: z.iso.datetime({ offset: true }),
  time: z.number().min(0),
  request: Request,
  response: Response,
  cache: object({ beforeRequest: z.unknown().optional(), afterRequest: z.unknown().optional() }),
  timings: Timings,
  serverIPAddress: z.string().optional(),
  connection: z.string().optional(),
  comment,
}).refine(
  ({ time, timings }) => Math.abs(time - sumPhases(timings)) < 1e-6,
  'Its time is not the sum of its phases.',
);

/** Sums the phases that apply; TLS is a part of `connect`. */
function sumPhases({ blocked = -1, dns = -1, connect = -1, ...rest }: z.infer<typeof Timings>) {
  const phases = [blocked, dns, connect, rest.send, rest.wait, rest.receive];
  return phases.reduce((sum, phase) => sum + Math.max(0, phase), 0);
}

/** An HTTP archive. */
export const Har = object({
  log: object({
    version: z.literal('1.2'),
    creator: Program,
    browser: Program.optional(),
    pages: z.array(z.unknown()).optional(),
    entries: z.array(Entry),
    comment,
  }),
});
