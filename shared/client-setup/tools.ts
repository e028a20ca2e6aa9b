import { aider, opencode, pi, qwenCode } from './agents.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { cherry, geminiCli, jetbrains, kiloCode, n8n, xcode } from './dialogs.ts';
import { cline, continueDev, cursor, rooCode, zed } from './editors.ts';
import { anthropicSdk, langchain, openaiNode, openaiPython, vercelSdk } from './libraries.ts';
import { another, curl } from './other-tools.ts';
import type { ClientTool } from './client-tool.ts';

/** The well-known tools, most used first; the last entry fits every other program. */
export const TOOLS: readonly ClientTool[] = [
  claudeCode,
  codex,
  cline,
  rooCode,
  kiloCode,
  continueDev,
  opencode,
  qwenCode,
  aider,
  zed,
  pi,
  jetbrains,
  xcode,
  cherry,
  n8n,
  cursor,
  geminiCli,
  openaiNode,
  openaiPython,
  anthropicSdk,
  vercelSdk,
  langchain,
  curl,
  another,
];
