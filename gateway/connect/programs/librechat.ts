import { join } from 'node:path';
import type { ConnectableProgram } from '../program.ts';
import { fieldsOf, modelsOf } from './fields.ts';

const KEY = 'GATEHOUSE_LIBRECHAT_KEY';
const ENDPOINT = ['endpoints', 'custom', { where: 'name', is: 'Gatehouse' }] as const;

/** LibreChat: https://www.librechat.ai/docs/configuration/librechat_yaml. Its files are in the folder in which it is installed. */
export const librechat: ConnectableProgram = {
  id: 'librechat',
  name: 'LibreChat',
  checked: 'documented',
  protocol: 'chat',
  commands: [],
  traces: () => [],
  files: () => [],
  projectFiles: (folder, values) => [
    {
      path: join(folder, 'librechat.yaml'),
      format: 'yaml',
      companions: fieldsOf([], { version: '1.2.1' }),
      fields: [
        ...fieldsOf(ENDPOINT, {
          apiKey: `\${${KEY}}`,
          baseURL: values.v1,
          models: { default: modelsOf(values).map(({ id }) => id), fetch: false },
          titleConvo: true,
          titleModel: values.smallModel.id,
          modelDisplayLabel: 'Gatehouse',
        }),
      ],
    },
    { path: join(folder, '.env'), format: 'env', fields: fieldsOf([], { [KEY]: values.key }) },
  ],
  notes: () => [
    'Restart LibreChat.',
    'LibreChat in a container does not reach 127.0.0.1 of this machine: start it without one.',
  ],
};
