import { z } from 'zod';
import { ClientId } from './client.ts';
import { splitPattern } from './name-pattern.ts';
import { UpstreamId } from './upstream.ts';

/** The alias of this name holds for every model that no other alias names and the service does not list. */
export const DEFAULT_ALIAS = '*';

/** The longest name of a model that is compared with aliases. */
export const MAX_MODEL_NAME = 256;

/** Name of a profile: one line of 1 to 64 visible characters. `none` stands for no profile. */
export const ProfileName = z
  .string()
  .trim()
  .min(1, 'Enter a name for the profile.')
  .max(64, 'The name of a profile has at most 64 characters.')
  .regex(/^\P{Cc}+$/u, 'The name of a profile is one line without control characters.')
  .refine((name) => name.toLowerCase() !== 'none', 'A profile cannot be called “none”.');

/** A name or pattern (`shared/name-pattern.ts`) of models; one of wildcards only is the default. */
const AliasName = z
  .string()
  .trim()
  .min(1, 'Enter the name of a model that clients ask for.')
  .max(MAX_MODEL_NAME, 'The name of a model has at most 256 characters.')
  .regex(/^\P{Cc}+$/u, 'The name of a model is one line without control characters.')
  .transform((name) => {
    const texts = splitPattern(name);
    return texts.length > 1 && texts.join('') === '' ? DEFAULT_ALIAS : name;
  });

/** A reasoning effort, such as `low`, `medium` or `high`; which ones a model knows is the business of the service. */
const Effort = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z]{1,20}$/u, 'An effort is one word, such as low, medium or high.');

/** An alias to add: requests for a model of this name are sent with `model` instead. */
export const NewModelAlias = z.object({
  /** The profile with which it holds; `null`: always. */
  profile: ProfileName.nullable(),
  /** The client for which it holds; `null`: every client. */
  clientId: ClientId.nullable(),
  name: AliasName,
  model: z
    .string()
    .trim()
    .min(1, 'Enter the model to send.')
    .max(MAX_MODEL_NAME, 'A model has at most 256 characters.')
    .regex(/^\P{Cc}+$/u, 'A model is one line without control characters.'),
  /** The reasoning effort that is sent; `null`: as the client sent it. */
  effort: Effort.nullable(),
});
export type NewModelAlias = z.infer<typeof NewModelAlias>;

export const AliasId = z.string().min(1).max(64).brand<'AliasId'>();
export type AliasId = z.infer<typeof AliasId>;

export const ModelAlias = NewModelAlias.extend({ id: AliasId });
export type ModelAlias = z.infer<typeof ModelAlias>;

/** A named set of aliases. At most one is in use. */
export const Profile = z.object({
  name: ProfileName,
  /** The upstream that is switched to when the profile is used; `null`: it stays as it is. */
  upstreamId: UpstreamId.nullable(),
  used: z.boolean(),
});
export type Profile = z.infer<typeof Profile>;

/** A profile to add, or to change by its name. */
export const NewProfile = Profile.omit({ used: true });
export type NewProfile = z.infer<typeof NewProfile>;
