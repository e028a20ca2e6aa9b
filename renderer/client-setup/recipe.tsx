import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyField } from '../components/copy-field.tsx';
import classes from './recipe.module.css';
import type { SetupValues, Step, ClientTool } from '../../shared/client-setup/client-tool.ts';

type Shell = 'posix' | 'windows';
const SHELLS = [
  { value: 'posix', label: 'macOS, Linux' },
  { value: 'windows', label: 'Windows' },
] satisfies { value: Shell; label: string }[];

const OWN_SHELL: Shell = /windows/iu.test(navigator.userAgent) ? 'windows' : 'posix';

/** Shows step by step how to set a tool up for Gatehouse, with copy buttons; or why the tool cannot be used. */
export function Recipe({
  tool,
  values,
}: {
  readonly tool: ClientTool;
  readonly values: SetupValues;
}) {
  const [shell, setShell] = useState(OWN_SHELL);
  const steps = tool.recipe(values);
  const isPlain = tool.supportsLocalhost !== true || tool.isUnordered === true;
  const List = isPlain ? 'ul' : 'ol';
  return (
    <Stack gap="sm">
      {tool.supportsLocalhost !== true && (
        <Alert color="orange" icon={<IconPlugConnectedX />} title={`${tool.name} cannot connect`}>
          {tool.supportsLocalhost}
        </Alert>
      )}
      {tool.checked === 'documented' && (
        <Text size="xs" c="dimmed">
          This is from the documentation of {tool.name}; it was not tried with it.
        </Text>
      )}
      {steps.some(({ windows }) => windows !== undefined) && (
        <SegmentedControl
          size="xs"
          data={SHELLS}
          value={shell}
          onChange={setShell}
          aria-label="System"
          w="fit-content"
        />
      )}
      <List className={classes['steps'] ?? ''} data-plain={isPlain || undefined}>
        {steps.map((step) => (
          <li key={step.text} className={classes['step'] ?? ''}>
            <Text size="sm">{step.text}</Text>
            <StepCode step={step} shell={shell} />
          </li>
        ))}
      </List>
    </Stack>
  );
}

function StepCode({ step, shell }: { readonly step: Step; readonly shell: Shell }) {
  const code = shell === 'windows' ? (step.windows ?? step.code) : step.code;
  if (code === undefined) return null;
  const terminal = step.windows !== undefined && shell === 'windows';
  const where = terminal ? 'PowerShell' : step.where;
  return (
    <div className={classes['code'] ?? ''}>
      <CopyField
        value={code}
        what={where === undefined ? 'this' : `the text for ${where}`}
        block={step.language !== 'text'}
        {...(where === undefined ? {} : { label: where })}
      />
    </div>
  );
}
