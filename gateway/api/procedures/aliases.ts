import { procedures } from './base.ts';

const calls = procedures.aliases;

export const aliasProcedures = {
  list: calls.list.handler(({ context: { gateway } }) => ({
    aliases: [...gateway.aliases.list()],
    profiles: [...gateway.aliases.profiles()],
  })),
  set: calls.set.handler(({ context, input }) => context.gateway.aliases.set(input)),
  remove: calls.remove.handler(async ({ context, input }) => {
    await context.gateway.aliases.remove(input.id);
  }),
  profiles: {
    save: calls.profiles.save.handler(async ({ context, input }) => {
      await context.gateway.aliases.saveProfile(input);
    }),
    remove: calls.profiles.remove.handler(async ({ context, input }) => {
      await context.gateway.aliases.removeProfile(input.name);
    }),
    use: calls.profiles.use.handler(async ({ context, input }) => {
      await context.gateway.useProfile(input.name);
    }),
  },
};
