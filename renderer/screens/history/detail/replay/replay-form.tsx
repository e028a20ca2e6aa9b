import { Button, Group, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { StoredBody } from '../../../../../shared/exchange/body.ts';
import type { ExchangeRecord } from '../../../../../shared/exchange/exchange.ts';
import { pluralize } from '../../../../../shared/format.ts';
import { toText } from '../../../../../shared/parse-bodies/json.ts';
import { measureReplay, type ReplayableRequest } from '../../../../../shared/replay.ts';
import { ChosenModels } from './chosen-models.tsx';
import { ReplayAnswers } from './replay-answers.tsx';
import { ReplayCost } from './replay-cost.tsx';
import { RequestFields } from './request-fields.tsx';
import { parseTexts, type RequestTexts, toTexts } from './request-texts.ts';
import { useReplay } from './use-replay.ts';

interface ReplayFormProps {
  readonly request: ReplayableRequest;
  readonly exchange: ExchangeRecord;
  /** The first response, as far as it is stored. */
  readonly first: StoredBody | null;
}

/** Edits a request, and sends it once to each of the models. */
export function ReplayForm({ request, exchange, first }: ReplayFormProps) {
  const initial = toText(request.fields['model']);
  const [models, setModels] = useState<readonly string[]>([initial]);
  const [texts, setTexts] = useState<RequestTexts>(() => toTexts(request));
  const { changes, errors } = useMemo(() => parseTexts(request, texts), [request, texts]);
  const size = useMemo(
    () => (changes === null ? null : measureReplay(request, changes)),
    [request, changes],
  );
  const { attempts, isRunning, send, cancel } = useReplay(exchange.id);
  const isReady = changes !== null && models.every((model) => model !== '');
  return (
    <Stack gap="md">
      <ChosenModels models={models} onChange={setModels} isDisabled={isRunning} />
      <RequestFields texts={texts} errors={errors} onChange={setTexts} />
      <ReplayCost {...{ models, size, request, exchange }} />
      <Group gap="xs">
        <Button
          disabled={!isReady}
          loading={isRunning}
          onClick={() => changes !== null && send(models, changes)}
        >
          {models.length === 1
            ? 'Send once'
            : `Send once to each of ${pluralize(models.length, 'model')}`}
        </Button>
        {isRunning && (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        )}
      </Group>
      <ReplayAnswers
        protocol={request.protocol}
        exchange={exchange}
        first={first}
        attempts={attempts}
      />
    </Stack>
  );
}
