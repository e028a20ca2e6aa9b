import { Button, Menu } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { SnippetLanguage } from '../../../../shared/chat/chat.ts';
import { pluralize } from '../../../../shared/format.ts';
import type { ExchangeDetail } from '../../../../shared/history/history.ts';
import { KEY_VARIABLE, LANGUAGE_NAMES } from '../../../../shared/request-code/code-request.ts';
import { toExchangeRequest } from '../../../../shared/request-code/exchange-request.ts';
import { formatRequestCode } from '../../../../shared/request-code/request-code.ts';
import { useCalls } from '../../../api/client.ts';
import { toastError, toastMessage, toastSuccess } from '../../../hooks/toast.ts';
import { useBodies } from './bodies/use-bodies.ts';

const FAILED = 'The request could not be copied.';

/** Copies the request of an exchange as a command or as a program that makes it again. */
export function CopyMenu({ detail }: { readonly detail: ExchangeDetail }) {
  const { bodies } = useBodies(detail.exchange.id, false);
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const copy = async (language: SnippetLanguage): Promise<void> => {
    if (bodies === null || status === undefined) return;
    try {
      const made = toExchangeRequest(detail, bodies, status.baseUrls.messages);
      if (made.request === null) return toastMessage(FAILED, made.reason);
      await navigator.clipboard.writeText(formatRequestCode(made.request, language));
      toastSuccess(describeCopy(language, (bodies.sent ?? bodies.received)?.masked ?? 0));
    } catch (error) {
      toastError(FAILED, error);
    }
  };
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconCode size={14} aria-hidden />}
          disabled={bodies === null || status === undefined}
        >
          Copy as
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {SnippetLanguage.options.map((language) => (
          <Menu.Item key={language} onClick={() => void copy(language)}>
            {LANGUAGE_NAMES[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function describeCopy(language: SnippetLanguage, masked: number): string {
  const copied = `Copied as ${LANGUAGE_NAMES[language]}. It reads a local key from the environment variable ${KEY_VARIABLE}.`;
  if (masked === 0) return copied;
  return `${copied} ${pluralize(masked, 'secret')} in it ${masked === 1 ? 'is' : 'are'} masked.`;
}
