export { COPY_RESERVE_BYTES, type Copy, listCopies, createCopy, removeCopies } from './copies.ts';
export { findCopyFault } from './find-copy-fault.ts';
export { Databases } from './databases.ts';
export { type DailyCopies, startDailyCopies } from './daily-copies.ts';
export { findDamage } from './find-damage.ts';
export {
  type CopyContents,
  countContents,
  describeContents,
  formatCopyTime,
  withRestoreAdvice,
} from './restore-advice.ts';
export { findLoss } from './find-loss.ts';
export { recordDamage } from './damage-note.ts';
export { restoreCopy } from './restore-copy.ts';
