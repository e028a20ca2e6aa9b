import { z } from 'zod';
import { ModelInput, procedure } from '../procedure.ts';
import { DoctorPart, DoctorRun, Finding } from './finding.ts';

/** Calls that check everything Gatehouse needs. */
export const doctorContract = {
  /**
   * Checks one part. No check costs anything, and each has a time limit. Calls at the same moment share one run, which stops when the
   * last of them is aborted.
   */
  run: procedure.input(z.object({ part: DoctorPart })).output(DoctorRun),
  /** Checks all parts and returns a text for a bug report. Without secrets and personal names. */
  report: procedure.output(z.string()),
  /**
   * Sends a short streamed request of each protocol to a model, as the client "Window". The service may charge for them. Calls for the
   * same model at the same moment share them.
   */
  try: procedure.input(ModelInput).output(z.array(Finding)),
};
