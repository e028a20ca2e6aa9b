export { COPY_RESERVE_BYTES, type Copy, listCopies, makeCopy, removeCopies } from './copies.ts';
export { faultOf } from './copy-fault.ts';
export { Databases } from './databases.ts';
export { type DailyCopies, startDailyCopies } from './daily.ts';
export { findDamage } from './find-damage.ts';
export { type Holding, holdingOf, holdingWords, timeWords, withOffer } from './offer.ts';
export { lossOf } from './missing.ts';
export { noteDamage } from './note.ts';
export { restoreCopy } from './restore.ts';
