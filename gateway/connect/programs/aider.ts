import { join } from 'node:path';
import type { ConnectableProgram } from '../program.ts';
import { fieldsOf } from './fields.ts';

/** Aider: https://aider.chat/docs/config/aider_conf.html and https://aider.chat/docs/llms/openai-compat.html */
export const aider: ConnectableProgram = {
  id: 'aider',
  name: 'Aider',
  checked: 'documented',
  protocol: 'chat',
  commands: ['aider'],
  traces: ({ home }) => [join(home, '.aider.conf.yml'), join(home, '.aider')],
  files: ({ home }, { v1, key, model, smallModel }) => [
    {
      path: join(home, '.aider.conf.yml'),
      format: 'yaml',
      fields: fieldsOf([], {
        // The prefix is Aider’s word for the protocol; it is no part of the model’s name.
        model: `openai/${model.id}`,
        'weak-model': `openai/${smallModel.id}`,
        'openai-api-base': v1,
        'openai-api-key': key,
      }),
    },
  ],
  // These win over its files.
  start: ({ v1, key, model, smallModel }) => ({
    environment: {
      AIDER_MODEL: `openai/${model.id}`,
      AIDER_WEAK_MODEL: `openai/${smallModel.id}`,
      AIDER_OPENAI_API_BASE: v1,
      AIDER_OPENAI_API_KEY: key,
    },
    args: [],
  }),
  notes: () => [
    'Start Aider again.',
    'An .aider.conf.yml or .env in a repository wins over this file, and so do variables that begin with AIDER_.',
  ],
};
