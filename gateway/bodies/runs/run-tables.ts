/**
 * Tables of the runs in `bodies.db`. A run goes with its last step, and a step with the bodies of its exchange. `chain` has the digests
 * of the messages of the latest request, and `stem` their number without the newest ones; `state` is the rest of what finding the
 * place of a request needs. `single`: the run has one step, no tool calls, and no id of the client. The index `step_summary` has all
 * that the summary of a run needs, because the rows of the steps are long. `answer` has the ids by which later requests of the client
 * name an exchange that they continue, and `waiting` those by which a step names one that is not stored yet.
 */
export const RUN_SCHEMA = `
create table if not exists run (
  id text primary key,
  client text not null,
  client_name text,
  conversation text,
  title text not null,
  started_at integer not null,
  ended_at integer not null,
  single integer not null
) strict, without rowid;
create index if not exists run_ended_at on run (ended_at, id);
create index if not exists run_several on run (ended_at, id) where single = 0;
create table if not exists sequence (
  id integer primary key autoincrement,
  run text not null references run (id) on delete cascade,
  client text not null,
  conversation text,
  kind text not null,
  started_by text,
  started_at integer not null,
  ended_at integer not null,
  first text not null,
  chain text not null,
  stem integer not null,
  state text not null
) strict;
create index if not exists sequence_run on sequence (run);
create index if not exists sequence_conversation on sequence (client, conversation, ended_at);
drop index if exists sequence_first;
create index if not exists sequence_beginning on sequence (client, first, conversation, ended_at);
create index if not exists sequence_ended_at on sequence (client, ended_at);
create table if not exists step (
  id text primary key references exchange (id) on delete cascade,
  sequence integer not null references sequence (id) on delete cascade,
  run text not null,
  started_at integer not null,
  model text,
  failed integer not null,
  calls integer not null,
  input integer,
  output integer,
  cache_read integer,
  facts text not null
) strict;
create index if not exists step_sequence on step (sequence, started_at);
drop index if exists step_run;
create index if not exists step_summary on step
  (run, started_at, id, sequence, model, failed, calls, input, output, cache_read);
create table if not exists answer (
  client text not null,
  answer text not null,
  started_at integer not null,
  exchange text not null references exchange (id) on delete cascade,
  primary key (client, answer, started_at, exchange)
) strict, without rowid;
create index if not exists answer_exchange on answer (exchange);
create table if not exists waiting (
  client text not null,
  answer text not null,
  step text not null references step (id) on delete cascade,
  primary key (client, answer, step)
) strict, without rowid;
create index if not exists waiting_step on waiting (step);
create trigger if not exists step_deleted after delete on step begin
  delete from sequence where id = old.sequence and not exists (select 1 from step where sequence = old.sequence);
  delete from run where id = old.run and not exists (select 1 from step where run = old.run);
end;
`;
