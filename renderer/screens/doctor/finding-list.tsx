import { Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconHelpCircle,
} from '@tabler/icons-react';
import type { Finding } from '../../../shared/doctor/finding.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { formatAdvice, sortFindings, withoutName } from './describe-findings.ts';
import classes from './doctor.module.css';
import { FindingButton } from './finding-button.tsx';

const STATES = {
  ok: { icon: IconCircleCheck, word: 'Good' },
  warn: { icon: IconAlertTriangle, word: 'Warning' },
  fail: { icon: IconCircleX, word: 'Problem' },
  unknown: { icon: IconHelpCircle, word: 'No result' },
} as const;

interface FindingListProps {
  readonly label: string;
  /** The heading above the list, which its sentences need not repeat. */
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** Lists findings, the most urgent first: the state of each, and how to mend it. */
export function FindingList({ label, name, findings }: FindingListProps) {
  return (
    <ul className={classes['findings']} aria-label={label}>
      {sortFindings(findings).map((finding) => (
        <FindingRow key={`${finding.check} ${finding.sentence}`} finding={finding} name={name} />
      ))}
    </ul>
  );
}

function FindingRow({ finding, name }: { readonly finding: Finding; readonly name: string }) {
  const { state, sentence, details, command, action } = finding;
  const { icon: Icon, word } = STATES[state];
  const advice = formatAdvice(finding);
  return (
    <li className={classes['finding']} data-state={state}>
      <span className={classes['state']}>
        <Icon size={16} aria-hidden />
        {word}
      </span>
      <div className={classes['text']}>
        <Text size="sm">{withoutName(sentence, name)}</Text>
        {details.length > 0 && (
          <ul className={classes['details']}>
            {details.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        {advice !== '' && (
          <Text size="sm" c="dimmed" className={classes['advice'] ?? ''}>
            {advice}
          </Text>
        )}
        {command !== null && (
          <div className={classes['command']}>
            <CopyField value={command} what="the command" />
          </div>
        )}
      </div>
      {action !== null && (
        <div className={classes['action']}>
          <FindingButton action={action} />
        </div>
      )}
    </li>
  );
}
