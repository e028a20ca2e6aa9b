import { Button, Stepper } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCalls } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { toastError } from '../../hooks/toast.ts';
import { ClientStep } from './client-step.tsx';
import { RequestStep } from './request-step.tsx';
import { ServiceStep } from './service-step.tsx';
import { forgetProgress, useProgress } from './use-progress.ts';
import classes from './welcome.module.css';

/** The first steps: service, client, first request. They can be left and resumed at any time. */
export function Welcome() {
  const [works, setWorks] = useState(false);
  const { isEnded, end, leave } = useEndSetup();
  const { step, setStep, client, setClient, setProgram } = useProgress();
  return (
    <div className={classes['column']}>
      <Page
        title="First steps"
        about="Three steps to your first request."
        actions={
          !isEnded && (
            <Button variant="default" size="xs" onClick={leave}>
              Skip
            </Button>
          )
        }
      >
        <Stepper
          active={step}
          onStepClick={setStep}
          size="sm"
          wrap={false}
          contentPadding="lg"
          classNames={{
            stepBody: classes['stepBody'] ?? '',
            stepLabel: classes['stepLabel'] ?? '',
          }}
        >
          <Stepper.Step label="Service">
            <ServiceStep onDone={() => setStep(1)} />
          </Stepper.Step>
          <Stepper.Step label="Client">
            {client !== undefined && (
              <ClientStep
                connected={client}
                onConnected={setClient}
                onProgram={setProgram}
                onDone={() => setStep(2)}
                onBack={() => setStep(0)}
              />
            )}
          </Stepper.Step>
          <Stepper.Step label="Request" progressIcon={works && DONE_ICON}>
            {client !== undefined && (
              <RequestStep
                connected={client}
                onWorks={() => {
                  setWorks(true);
                  end();
                }}
                onDone={leave}
                onBack={() => setStep(1)}
              />
            )}
          </Stepper.Step>
        </Stepper>
      </Page>
    </div>
  );
}

const DONE_ICON = <IconCheck size={18} stroke={3} role="img" aria-label="completed" />;

/**
 * Returns whether the first steps are done, and functions that record it. `end`: nothing is left to do, so they do not open
 * again, whichever way the person leaves; `leave` opens Home, too.
 */
function useEndSetup() {
  const calls = useCalls();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate } = useMutation(
    calls.settings.change.mutationOptions({
      onSuccess: () => {
        forgetProgress();
        // Home redirects back here until its cached state is updated.
        return queries.invalidateQueries({ queryKey: calls.status.get.key() });
      },
      onError: (error) => toastError('Could not finish the first steps.', error),
    }),
  );
  const { data: status } = useQuery(calls.status.get.queryOptions());
  const isEnded = status?.setUp !== false;
  return {
    isEnded,
    end: () => {
      if (!isEnded) mutate({ setUp: true });
    },
    leave: () => mutate({ setUp: true }, { onSuccess: () => void navigate({ to: '/' }) }),
  };
}
