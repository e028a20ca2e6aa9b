import { join } from 'node:path';
import type { ConfigValue } from '../edit/config-format.ts';
import type { ConnectableProgram, KnownModel, UserPlace } from '../program.ts';
import { fieldsOf, modelsOf } from './fields.ts';
import { configHome, roamingAppData } from './user-folders.ts';

const GROUP = { where: 'name', is: 'Gatehouse' } as const;

/** Copilot in VS Code: https://code.visualstudio.com/docs/agent-customization/language-models */
export const vscodeCopilot: ConnectableProgram = {
  id: 'vscode-copilot',
  name: 'Copilot in VS Code',
  checked: 'documented',
  protocol: 'chat',
  commands: ['code'],
  traces: (place) => [folder(place)],
  files: (place, values) => [
    {
      path: join(folder(place), 'chatLanguageModels.json'),
      format: 'json',
      fields: [
        ...fieldsOf([GROUP], {
          vendor: 'customendpoint',
          apiKey: values.key,
          apiType: 'chat-completions',
        }),
        ...modelsOf(values).flatMap((model) =>
          fieldsOf([GROUP, 'models', { where: 'id', is: model.id }], {
            name: model.id,
            url: `${values.v1}/chat/completions`,
            toolCalling: true,
            vision: model.acceptsImages,
            ...limits(model),
          }),
        ),
      ],
    },
  ],
  notes: () => [
    'Choose the model in the model picker of the chat. Restart VS Code if it is not there yet.',
    'VS Code 1.122 or newer is needed. Inline suggestions stay with Copilot’s own models.',
    'For titles and commit messages set chat.utilityModel and chat.utilitySmallModel in the settings of VS Code.',
  ],
};

function folder(place: UserPlace): string {
  const { home, platform } = place;
  if (platform === 'win32') return join(roamingAppData(place), 'Code', 'User');
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'Code', 'User')
    : join(configHome(place), 'Code', 'User');
}

/** Input and output together are the context window. */
function limits({ contextWindow, maxOutput }: KnownModel): Record<string, ConfigValue | undefined> {
  return contextWindow === null || maxOutput === null || maxOutput >= contextWindow
    ? { contextWindow: contextWindow ?? undefined, maxOutputTokens: maxOutput ?? undefined }
    : { maxInputTokens: contextWindow - maxOutput, maxOutputTokens: maxOutput };
}
