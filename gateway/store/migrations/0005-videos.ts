import type { Migration } from '../schema.ts';

/** Adds the queue of videos: jobs, answers of the service, learned field maps and presets. */
export const videos: Migration = {
  statements: () => TABLES,
};

const TABLES = [
  `create table video_job (
    id text not null primary key,
    rev integer not null,
    state text not null,
    origin text not null,
    client_id text,
    client_name text,
    service text not null,
    created_at integer not null,
    state_since integer not null,
    due_at integer,
    planned_at integer,
    position integer,
    ordered_at integer,
    task_id text,
    progress real,
    words text not null,
    data text not null
  ) strict`,
  'create index video_job_by_time on video_job (created_at, id)',
  'create index video_job_by_state on video_job (state, position)',
  'create index video_job_by_position on video_job (position)',
  'create index video_job_by_due on video_job (due_at) where due_at is not null',
  'create index video_job_by_task on video_job (task_id, service) where task_id is not null',
  `create table video_answer (
    seq integer primary key,
    job_id text not null references video_job (id) on delete cascade,
    stage text not null,
    at integer not null,
    last_at integer not null,
    times integer not null,
    status integer,
    text text not null
  ) strict`,
  'create index video_answer_by_job on video_answer (job_id, seq)',
  // Outlives its job: a client's retry must not order a video again that was removed from the list.
  `create table video_order (
    job_id text not null primary key,
    hash text not null,
    ordered_at integer not null,
    status integer,
    headers text,
    body blob,
    answered_at integer
  ) strict, without rowid`,
  'create index video_order_by_hash on video_order (hash, ordered_at)',
  `create table video_upload (
    service text not null,
    sha256 text not null,
    url text not null,
    at integer not null,
    primary key (service, sha256)
  ) strict, without rowid`,
  'create table video_fields (service text not null primary key, map text not null) strict',
  'create table video_preset (name text not null primary key, request text not null) strict',
];
