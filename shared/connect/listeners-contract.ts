import { z } from 'zod';
import { procedure } from '../procedure.ts';
import { EffectiveSettings } from '../settings.ts';
import { FurtherListener, OwnAddress } from './further-listener.ts';

/** The calls about further listeners. */
export const listenersContract = {
  /** Lists the addresses of this machine that a further listener may have. */
  possible: procedure.output(z.array(OwnAddress)),
  add: procedure.input(FurtherListener).output(EffectiveSettings),
  remove: procedure.input(FurtherListener.pick({ address: true })).output(EffectiveSettings),
};
