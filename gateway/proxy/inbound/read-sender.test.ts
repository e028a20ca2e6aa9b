import { expect, test } from 'vitest';
import { describeSender } from '../../../shared/exchange/sender.ts';
import { readSender } from './read-sender.ts';

const SILENT = {
  agent: null,
  parent: null,
  agentType: null,
  requestClass: null,
  prompt: null,
  turn: null,
  project: null,
  toolTimes: null,
};

test.each([
  ['Claude Code', ['x-claude-code-session-id', 's1'], 's1'],
  ['Codex', ['Session-Id', 's1'], 's1'],
  ['pi and Roo', ['session_id', 's1'], 's1'],
  ['opencode and Kilo', ['x-session-id', 's1'], 's1'],
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
    ...SILENT,
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
      ...SILENT,
      agent: 't2',
      parent: 't1',
      agentType: 'review',
      requestClass: 'turn',
      turn: 'u1',
      project: 'https://example.com/a/b.git',
    },
  });
});

test('reads the session that started a session of opencode', () => {
  expect(readSender(['x-session-id', 's2', 'x-parent-session-id', 's1'])).toEqual({
    session: 's2',
    parentSession: 's1',
    sender: { ...SILENT, parent: 's1' },
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

test('shortens ids', () => {
  const { session } = readSender(['session-id', 'x'.repeat(5_000)]);
  expect(session).toHaveLength(200);
});
