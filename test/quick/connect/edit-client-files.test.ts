import { describe, expect, test } from 'vitest';
import {
  CONFIG_FORMATS,
  type ConfigField,
  type ConfigFormat,
  countMissingParents,
} from '../../../gateway/connect/edit/config-format.ts';

const { json, toml, yaml, env } = CONFIG_FORMATS;
const URL = 'http://127.0.0.1:4000';

function removal(format: ConfigFormat, text: string, fields: readonly ConfigField[]) {
  return fields.map(({ path }) => ({
    path,
    emptyParents: countMissingParents(format, text, path),
  }));
}

/** Sets fields, checks that removing them gives the text back, and returns the text with them. */
function connect(format: ConfigFormat, text: string, fields: readonly ConfigField[]): string {
  const edited = format.set(text, fields);
  expect(format.set(edited, fields)).toBe(edited);
  const missing = fields.filter(({ path }) => format.read(text, path) === undefined);
  if (missing.length === fields.length)
    expect(format.remove(edited, removal(format, text, fields))).toBe(text);
  return edited;
}

describe('the settings of Claude Code', () => {
  const TEXT = `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run lint)", "Read(~/.zshrc)"],
    "deny": ["Read(./.env)"]
  },
  "hooks": {
    "PostToolUse": [
      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "npx prettier --write" }] }
    ]
  },
  "model": "opus"
}
`;
  const FIELDS = [
    { path: ['env', 'ANTHROPIC_BASE_URL'], value: URL },
    { path: ['env', 'ANTHROPIC_AUTH_TOKEN'], value: 'local' },
  ];
  const ENVIRONMENT = `,
  "env": {
    "ANTHROPIC_BASE_URL": "${URL}",
    "ANTHROPIC_AUTH_TOKEN": "local"
  }
}
`;

  test('get an environment at the end', () => {
    expect(connect(json, TEXT, FIELDS)).toBe(TEXT.replace('\n}\n', ENVIRONMENT));
  });

  test('keep a variable that a person adds to the new environment', () => {
    const edited = json.set(TEXT, FIELDS).replace('"local"', '"local",\n    "DEBUG": "1"');
    const kept = ',\n  "env": {\n    "DEBUG": "1"\n  }\n}\n';
    expect(json.remove(edited, removal(json, TEXT, FIELDS))).toBe(TEXT.replace('\n}\n', kept));
  });

  test('keep the new order of a person who sorts them', () => {
    const edited = json.set(TEXT, FIELDS);
    const environment = /,\n {2}"env": \{[^}]*\}/u.exec(edited)?.[0] ?? '';
    const moved = edited.replace(environment, '').replace('{\n', `{\n  ${environment.slice(4)},\n`);
    expect(json.read(moved, ['env', 'ANTHROPIC_BASE_URL'])).toBe(URL);
    expect(json.remove(moved, removal(json, TEXT, FIELDS))).toBe(TEXT);
  });

  test('are written where there were none', () => {
    expect(connect(json, '', FIELDS)).toBe(`{\n${ENVIRONMENT.slice(2)}`);
    expect(connect(json, '{}', FIELDS)).toBe(`{\n${ENVIRONMENT.slice(2).trimEnd()}`);
  });
});

describe('the settings of Zed', () => {
  const TEXT = [
    '// Zed settings',
    '{',
    '\t"theme": "One Dark", // or "One Light"',
    '\t"buffer_font_size": 15,',
    '\t/* "vim_mode": true, */',
    '\t"language_models": {',
    '\t\t"ollama": { "api_url": "http://localhost:11434" },',
    '\t},',
    '}',
    '',
  ].join('\r\n');
  const FIELDS = [
    {
      path: ['language_models', 'openai_compatible', 'Gatehouse'],
      value: { api_url: `${URL}/v1`, available_models: [{ name: 'm', max_tokens: 1000 }] },
    },
  ];

  test('get a provider, in their style', () => {
    const added = [
      '\t\t"openai_compatible": {',
      '\t\t\t"Gatehouse": {',
      `\t\t\t\t"api_url": "${URL}/v1",`,
      '\t\t\t\t"available_models": [',
      '\t\t\t\t\t{',
      '\t\t\t\t\t\t"name": "m",',
      '\t\t\t\t\t\t"max_tokens": 1000',
      '\t\t\t\t\t}',
      '\t\t\t\t]',
      '\t\t\t}',
      '\t\t},',
    ];
    const lines = TEXT.split('\r\n').toSpliced(7, 0, ...added);
    expect(connect(json, TEXT, FIELDS)).toBe(lines.join('\r\n'));
  });

  test('keep a comment in the provider', () => {
    const edited = json.set(TEXT, FIELDS).replace('"name": "m",', '"name": "m", // mine');
    const removed = json.remove(edited, removal(json, TEXT, FIELDS));
    expect(removed).toBe(TEXT.replace('},\r\n\t},', '},\r\n\t\t// mine\r\n\t},'));
  });
});

describe('the models of Visual Studio Code', () => {
  const PATH = [{ where: 'name', is: 'Gatehouse' }];
  const FIELDS = [{ path: PATH, value: { name: 'Gatehouse', vendor: 'customendpoint' } }];

  test('are a list, also in a file that is empty', () => {
    expect(JSON.parse(connect(json, '', FIELDS))).toEqual([FIELDS[0]?.value]);
    const text = '[\n    {\n        "name": "Other",\n        "vendor": "ollama"\n    }\n]';
    const edited = connect(json, text, FIELDS);
    expect(edited).toContain(',\n    {\n        "name": "Gatehouse",\n');
    const moved = JSON.stringify(JSON.parse(edited).toReversed(), null, 4);
    expect(json.remove(moved, removal(json, text, FIELDS))).toBe(text);
  });
});

describe('the configuration of Codex', () => {
  const TEXT = `# Codex
model = "gpt-5" # the default
approval_policy = "on-request"

# Files of this project
[mcp_servers.files]
command = "npx"
args = [
  "-y", # yes
  "@modelcontextprotocol/server-filesystem",
]

[mcp_servers.files.env]
ROOT = "/srv" # where it may read
`;
  const FIELDS = [
    { path: ['model_provider'], value: 'gatehouse' },
    {
      path: ['model_providers', 'gatehouse'],
      value: {
        name: 'Gatehouse',
        base_url: `${URL}/v1`,
        env_key: 'GATEHOUSE_KEY',
        wire_api: 'responses',
        http_headers: { 'x-client': 'codex' },
      },
    },
  ];
  const PROVIDER = `
[model_providers.gatehouse]
name = "Gatehouse"
base_url = "${URL}/v1"
env_key = "GATEHOUSE_KEY"
wire_api = "responses"
http_headers = { x-client = "codex" }
`;

  test('gets its provider before all tables, and a table at the end', () => {
    const policy = 'approval_policy = "on-request"\n';
    expect(connect(toml, TEXT, FIELDS)).toBe(
      TEXT.replace(policy, `${policy}model_provider = "gatehouse"\n`) + PROVIDER,
    );
  });

  test('keeps what a person adds to it', () => {
    const edited = toml
      .set(TEXT, FIELDS)
      .replace('env_key', '# my key\nenv_key')
      .replace('wire_api = "responses"', 'wire_api = "responses" # needed')
      .concat('\n[profiles.mine]\nmodel = "o4"\n');
    expect(toml.remove(edited, removal(toml, TEXT, FIELDS))).toBe(
      `${TEXT}# my key\n# needed\n\n[profiles.mine]\nmodel = "o4"\n`,
    );
  });

  test('is updated in place', () => {
    const edited = toml.set(TEXT, FIELDS).replace('env_key', '# my key\nenv_key');
    const [, provider] = FIELDS;
    const fields = [{ path: provider?.path ?? [], value: { name: 'Gatehouse', base_url: URL } }];
    expect(toml.set(edited, fields)).toBe(
      edited.slice(0, edited.indexOf('\n[model_providers')) +
        `\n[model_providers.gatehouse]\nname = "Gatehouse"\nbase_url = "${URL}"\n# my key\n`,
    );
  });

  test('gets its provider back when a person has chosen another one', () => {
    const text = 'model_provider = "openai" # mine\n[tui]\ntheme = "dark"\n';
    const edited = toml.set(text, FIELDS.slice(0, 1));
    expect(edited).toBe(text.replace('openai', 'gatehouse'));
    expect(toml.set(edited, [{ path: ['model_provider'], value: 'openai' }])).toBe(text);
  });
});

describe('the configuration of Continue', () => {
  const TEXT = `name: My assistant   # shown in the list
version: 1.0.0
schema: v1
# Models of the team
models:
  - name: Local
    provider: ollama
    model: "qwen3:8b"
    roles: [chat, edit]   # not autocomplete
    # apiBase: http://other

  - name: Claude
    provider: anthropic
    model: claude-opus
    roles:
      - chat

context:
  - provider: code
`;
  const PATH = ['models', { where: 'name', is: 'Gatehouse' }];
  const FIELDS = [
    {
      path: PATH,
      value: {
        name: 'Gatehouse',
        provider: 'openai',
        apiBase: `${URL}/v1`,
        model: 'm',
        roles: ['chat', 'edit'],
      },
    },
  ];
  const ITEM = `  - name: Gatehouse
    provider: openai
    apiBase: ${URL}/v1
    model: m
    roles:
      - chat
      - edit
`;

  test('gets a model at the end of its list', () => {
    const last = '      - chat\n';
    expect(connect(yaml, TEXT, FIELDS)).toBe(TEXT.replace(last, last + ITEM));
  });

  test('keeps the new order of a person, and comments in the model', () => {
    const edited = TEXT.replace(
      '  - name: Local',
      `${ITEM.replace('openai', 'openai # by me')}  - name: Local`,
    );
    expect(yaml.remove(edited, removal(yaml, TEXT, FIELDS))).toBe(
      TEXT.replace('  - name: Local', '  # by me\n  - name: Local'),
    );
  });

  test('gets only the member that differs', () => {
    const edited = yaml.set(TEXT, FIELDS).replace('model: m\n', 'model: m # fast\n');
    const fields = [{ path: [...PATH, 'model'], value: 'large' }];
    expect(yaml.set(edited, fields)).toBe(edited.replace('model: m #', 'model: large #'));
  });

  test('keeps the comments of a list that is replaced', () => {
    const edited = yaml.set(TEXT, [{ path: ['context'], value: { provider: 'docs' } }]);
    expect(edited).toBe(
      TEXT.replace('context:\n  - provider: code', 'context: { provider: docs }'),
    );
    const text = 'roles: # of the model\n- chat # only\nmodel: m\n';
    const kept = 'roles: {}\n# of the model # only\nmodel: m\n';
    expect(yaml.set(text, [{ path: ['roles'], value: {} }])).toBe(kept);
  });

  test.each(['models: []\n', 'models:\n', 'models: # none yet\nname: x\n', 'name: x'])(
    'gets its first model: %j',
    (text) => {
      expect(yaml.read(connect(yaml, text, FIELDS), PATH)).toEqual(FIELDS[0]?.value);
    },
  );
});

describe('the configuration of LibreChat', () => {
  const TEXT = `version: 1.2.1
cache: true
x-defaults: &defaults
  titleConvo: true
endpoints:
  custom:
  # groq
  - name: "groq"
    apiKey: "\${GROQ_API_KEY}"
    baseURL: "https://api.groq.com/openai/v1/"
    <<: *defaults
    models:
      default: ["llama3-70b-8192"]
      fetch: false
`;
  const FIELDS = [
    {
      path: ['endpoints', 'custom', { where: 'name', is: 'Gatehouse' }],
      value: {
        name: 'Gatehouse',
        apiKey: '${GATEHOUSE_KEY}',
        baseURL: `${URL}/v1`,
        models: { default: ['m'], fetch: true },
      },
    },
  ];

  test('gets an endpoint in the indentation of its list', () => {
    expect(connect(yaml, TEXT, FIELDS)).toBe(`${TEXT}  - name: Gatehouse
    apiKey: \${GATEHOUSE_KEY}
    baseURL: ${URL}/v1
    models:
      default:
      - m
      fetch: true
`);
  });
});

describe('a file of environment variables', () => {
  const TEXT = `# keys
export OPENAI_API_KEY='sk-1' # mine
OPENAI_API_BASE="https://api.openai.com/v1"

UNUSED=old
UNUSED=new # counts
`;

  test('gets a value in place of the last old one', () => {
    expect(
      env.set(TEXT, [
        { path: ['OPENAI_API_BASE'], value: `${URL}/v1` },
        { path: ['OPENAI_API_KEY'], value: 'two words' },
        { path: ['UNUSED'], value: '' },
      ]),
    ).toBe(`# keys
export OPENAI_API_KEY='two words' # mine
OPENAI_API_BASE=${URL}/v1

UNUSED=old
UNUSED= # counts
`);
  });

  test('gets a new one at the end', () => {
    const fields = [{ path: ['GATEHOUSE_KEY'], value: 'k#1' }];
    expect(connect(env, TEXT, fields)).toBe(`${TEXT}GATEHOUSE_KEY='k#1'\n`);
    expect(connect(env, 'A=1', fields)).toBe("A=1\nGATEHOUSE_KEY='k#1'");
  });

  test('loses every line of a variable, but no comment', () => {
    expect(env.remove(TEXT, [{ path: ['UNUSED'], emptyParents: 0 }])).toBe(
      TEXT.replace('UNUSED=old\nUNUSED=new # counts', '# counts'),
    );
  });
});
