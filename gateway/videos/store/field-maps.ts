import { tryParseJson } from '../../lib/json-object.ts';
import { EMPTY_FIELD_MAP, FieldMap, VideoPreset } from '../../../shared/video/video.ts';
import type { Store } from '../../store/store.ts';

/** Reads the field maps of all services. A damaged one counts as empty. */
export async function readFieldMaps({ db }: Store): Promise<Map<string, FieldMap>> {
  const rows = await db.selectFrom('video_fields').selectAll().execute();
  return new Map(rows.map(({ service, map }) => [service, readMap(map)]));
}

function readMap(text: string): FieldMap {
  const read = FieldMap.safeParse(tryParseJson(text));
  return read.success ? read.data : EMPTY_FIELD_MAP;
}

export async function readFieldMap({ db }: Store, service: string): Promise<FieldMap> {
  const row = await db
    .selectFrom('video_fields')
    .select('map')
    .where('service', '=', service)
    .executeTakeFirst();
  return row === undefined ? EMPTY_FIELD_MAP : readMap(row.map);
}

/** Changes a field map in one transaction. */
export async function changeFieldMap(
  { db }: Store,
  service: string,
  change: (map: FieldMap) => FieldMap,
): Promise<FieldMap> {
  return await db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('video_fields')
      .select('map')
      .where('service', '=', service)
      .executeTakeFirst();
    const next = FieldMap.parse(change(row === undefined ? EMPTY_FIELD_MAP : readMap(row.map)));
    const map = JSON.stringify(next);
    await trx
      .insertInto('video_fields')
      .values({ service, map })
      .onConflict((conflict) => conflict.column('service').doUpdateSet({ map }))
      .execute();
    return next;
  });
}

/** Lists the presets by name. */
export async function listPresets({ db }: Store): Promise<VideoPreset[]> {
  const rows = await db.selectFrom('video_preset').selectAll().orderBy('name').execute();
  return rows.flatMap(({ name, request }) => {
    const read = VideoPreset.safeParse({ name, request: tryParseJson(request) });
    return read.success ? [read.data] : [];
  });
}

export async function savePreset({ db }: Store, preset: VideoPreset): Promise<void> {
  const request = JSON.stringify(preset.request);
  await db
    .insertInto('video_preset')
    .values({ name: preset.name, request })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ request }))
    .execute();
}

export async function removePreset({ db }: Store, name: string): Promise<void> {
  await db.deleteFrom('video_preset').where('name', '=', name).execute();
}
