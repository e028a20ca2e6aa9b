import { procedures } from './base.ts';
import { createDiagnostics } from './diagnostics.ts';

export const doctorProcedures = {
  run: procedures.doctor.run.handler(async ({ context, input, signal }) => {
    return await (await context.gateway.doctor()).run(input.part, signal);
  }),
  report: procedures.doctor.report.handler(async ({ context, signal }) => {
    const doctor = await context.gateway.doctor();
    return await doctor.report(await createDiagnostics(context), signal);
  }),
  try: procedures.doctor.try.handler(async ({ context, input, signal }) => {
    return await (await context.gateway.doctor()).try(input.model, signal);
  }),
};
