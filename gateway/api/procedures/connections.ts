import type { Connections } from '../../connect/connect.ts';
import { UserError } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import { procedures } from './base.ts';

export const connectionProcedures = {
  list: procedures.connections.list.handler(async ({ context }) => {
    return (await (await context.gateway.connections())?.list()) ?? [];
  }),
  preview: procedures.connections.preview.handler(async ({ context, input }) => {
    return await (await open(context.gateway)).preview(input);
  }),
  diagnose: procedures.connections.diagnose.handler(async ({ context, input }) => {
    return await (await open(context.gateway)).diagnose(input.program);
  }),
  connect: procedures.connections.connect.handler(async ({ context, input }) => {
    const { token, ...choice } = input;
    const { key: _, ...made } = await (await open(context.gateway)).connect(choice, token);
    return made;
  }),
  previewUndo: procedures.connections.previewUndo.handler(async ({ context, input }) => {
    return await (await open(context.gateway)).previewUndo(input.program);
  }),
  disconnect: procedures.connections.disconnect.handler(async ({ context, input }) => {
    return await (await open(context.gateway)).disconnect(input.program, input.token);
  }),
};

/** @throws UserError where the programs of the person are not on this machine */
async function open(gateway: Gateway): Promise<Connections> {
  const connections = await gateway.connections();
  if (connections !== null) return connections;
  throw new UserError('This Gatehouse does not know the home folder of a person.');
}
