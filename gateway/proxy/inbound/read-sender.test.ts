import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assert, expect, test } from 'vitest';
import {
  describeSender,
  SILENT_SENDER,
  withoutCredentials,
} from '../../../shared/exchange/sender.ts';
import { readSender, readSenderInBody } from './read-sender.ts';

const UUID = '8a4f0c1e-5b7d-4c2a-9e3f-1d2c3b4a5968';

test.each([
  ['Claude Code', ['x-claude-code-session-id', 's1'], 's1'],
  ['Codex', ['Session-Id', 's1'], 's1'],
  ['pi and Roo', ['session_id', 's1'], 's1'],
  ['opencode and Kilo', ['x-session-id', 's1'], 's1'],
  ['opencode, in its other name of it', ['x-session-affinity', 's1'], 's1'],
  ['opencode at its own service', ['x-opencode-session', 's1', 'x-session-id', 's2'], 's1'],
  ['Goose', ['agent-session-id', 's1'], 's1'],
  ['the most specific of several', ['x-session-id', 'b', 'x-claude-code-session-id', 'a'], 'a'],
  ['none that is empty', ['x-claude-code-session-id', '', 'x-session-id', 'b'], 'b'],
  ['nothing', ['user-agent', 'curl'], null],
])('reads the session of %s', (_, headers, session) => {
  expect(readSender(headers)).toEqual({ session, parentSession: null, sender: null });
});

test('reads the agents of Claude Code', () => {
  const { session, sender } = readSender([
    'x-claude-code-session-id',
    's1',
    'x-claude-code-agent-id',
    'a2',
    'x-claude-code-parent-agent-id',
    'a1',
    'x-claude-code-request-class',
    'subagent',
    'x-claude-code-agent-type',
    'Explore',
    'x-claude-code-prompt-id',
    'p1',
    'x-claude-code-prev-tool-durations',
    'Bash=742;mcp%5Fread=9;broken',
  ]);
  expect(session).toBe('s1');
  expect(sender).toEqual({
    ...SILENT_SENDER,
    agent: 'a2',
    parent: 'a1',
    requestClass: 'subagent',
    agentType: 'Explore',
    prompt: 'p1',
    toolTimes: 'Bash=742;mcp%5Fread=9;broken',
  });
  expect(sender === null ? [] : describeSender(sender)).toContainEqual([
    'Tools before',
    'Bash 742 ms, mcp_read 9 ms',
  ]);
});

test.each([
  ['x-claude-code-compaction', 'compaction', 'auto'],
  ['x-claude-code-auxiliary-type', 'auxiliary', 'title'],
])('reads what %s says of a request', (header, requestClass, requestKind) => {
  const { sender } = readSender(['x-claude-code-request-class', requestClass, header, requestKind]);
  expect(sender).toEqual({ ...SILENT_SENDER, requestClass, requestKind });
  expect(sender === null ? [] : describeSender(sender)).toEqual([
    ['Purpose', `${requestClass}, ${requestKind}`],
  ]);
});

test('reads the threads of Codex, and the address of the repository without its credentials', () => {
  const metadata = {
    session_id: 's1',
    thread_id: 't2',
    parent_thread_id: 't1',
    turn_id: 'u1',
    request_kind: 'turn',
    workspaces: {
      '/home/me': { has_changes: true },
      '/work': {
        associated_remote_urls: { fork: 'x', origin: 'https://me:ghp_secret@example.com/a/b.git' },
      },
    },
  };
  expect(
    readSender([
      'session-id',
      's1',
      'thread-id',
      't2',
      'x-openai-subagent',
      'review',
      'x-codex-turn-metadata',
      JSON.stringify(metadata),
    ]),
  ).toEqual({
    session: 's1',
    parentSession: null,
    sender: {
      ...SILENT_SENDER,
      agent: 't2',
      parent: 't1',
      agentType: 'review',
      requestClass: 'turn',
      turn: 'u1',
      project: 'https://example.com/a/b.git',
    },
  });
});

test.each([
  ['https://me:secret@example.com/a.git?token=secret', 'https://example.com/a.git'],
  ['gcrypt::https://me:secret@example.com/a', 'gcrypt::https://example.com/a'],
  ['hg::https://me:secret@example.com/a?token=secret', 'hg::https://example.com/a'],
  ['git@example.com:a/b.git', 'git@example.com:a/b.git'],
  ['me:secret@example.com:a', 'example.com:a'],
  ['/srv/My Repos/shop.git', '/srv/My Repos/shop.git'],
])('keeps of the address %s no secret', (address, clean) => {
  expect(withoutCredentials(address)).toBe(clean);
});

test('reads the session that started a session of opencode', () => {
  expect(readSender(['x-session-id', 's2', 'x-parent-session-id', 's1'])).toEqual({
    session: 's2',
    parentSession: 's1',
    sender: { ...SILENT_SENDER, parent: 's1' },
  });
});

test.each([
  ['Codex', { client_metadata: { session_id: 's1', 'x-codex-window-id': 'w', no: 7 } }, 's1'],
  ['Claude Code', { metadata: { user_id: '{"device_id":"d","session_id":"s1"}' } }, 's1'],
  ['Claude Code before', { metadata: { user_id: `user_4f_account__session_${UUID}` } }, UUID],
  ['a gateway', { session_id: 's1', conversation: 'c1' }, 's1'],
  ['a conversation', { conversation: 'c1' }, 'c1'],
  ['a conversation that is an object', { conversation: { id: 'c1' } }, 'c1'],
  [
    'one that is named twice',
    { session_id: 's2', metadata: { user_id: '{"session_id":"s1"}' } },
    's1',
  ],
  ['a user without a session', { metadata: { user_id: 'me' } }, null],
  ['other members', { metadata: [1], client_metadata: 'x', session_id: 7, conversation: [] }, null],
])('reads the session of %s in a body', (_, members, session) => {
  expect(readSenderInBody(members)).toEqual({ session, parentSession: null, sender: null });
});

test('reads the thread of Codex in a body', () => {
  const turn = JSON.stringify({ parent_thread_id: 't1', request_kind: 'turn' });
  const named = { session_id: 's1', thread_id: 't2', 'x-codex-turn-metadata': turn };
  expect(readSenderInBody({ client_metadata: named })).toEqual({
    session: 's1',
    parentSession: null,
    sender: { ...SILENT_SENDER, agent: 't2', parent: 't1', requestClass: 'turn' },
  });
});

test.each([
  '',
  '{',
  '[]',
  '{"workspaces":[1]}',
  '{"workspaces":{"a":{"associated_remote_urls":7}}}',
])('takes a description of a turn that is %j for none', (text) => {
  expect(readSender(['session-id', 's1', 'x-codex-turn-metadata', text])).toEqual({
    session: 's1',
    parentSession: null,
    sender: null,
  });
});

test('shortens what a client says, and reads no description that is too long', () => {
  const { session, sender } = readSender([
    'session-id',
    'x'.repeat(5_000),
    'x-claude-code-prev-tool-durations',
    'Bash=1;'.repeat(1_000),
    'x-codex-turn-metadata',
    JSON.stringify({ turn_id: 'u1', workspaces: { '/': 'x'.repeat(9_000) } }),
  ]);
  expect(session).toHaveLength(200);
  expect(sender?.toolTimes).toHaveLength(1_000);
  expect(sender?.turn).toBeNull();
});

test('what it shortens does not keep the whole text in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert(typeof collect === 'function');
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 1_000 }, (_, at) =>
    readSender(['session-id', `${at}${'x'.repeat(40_000)}`]),
  );
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * 2 ** 20);
  expect(kept).toHaveLength(1_000);
});

test.each([
  [' https://me:secret@example.com/a/b ', 'https://example.com/a/b'],
  ['//me:secret@example.com/a', '//example.com/a'],
  ['me:secret@example.com:a/b.git', 'example.com:a/b.git'],
  ['https://example.com/a.git?private_token=secret', 'https://example.com/a.git'],
  ['https://example.com/a.git#access_token=secret', 'https://example.com/a.git'],
  ['https://me:se?cret@example.com/a', 'https://example.com/a'],
  ['git@example.com:a/b.git', 'git@example.com:a/b.git'],
  ['/home/me/shop', '/home/me/shop'],
  ['/home/me/C#/shop', '/home/me/C#/shop'],
  ['git@example.com:c#/x', 'git@example.com:c#/x'],
  [String.raw`C:\Users\me@work\shop`, String.raw`C:\Users\me@work\shop`],
])('a repository at %j is named without credentials', (origin, project) => {
  const workspaces = { '/home/me/shop': { associated_remote_urls: { origin } } };
  const { sender } = readSender(['x-codex-turn-metadata', JSON.stringify({ workspaces })]);
  expect(sender?.project).toBe(project);
});
