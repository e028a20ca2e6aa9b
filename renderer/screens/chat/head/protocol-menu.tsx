import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type LaneModel, TextProtocol } from '../../../../shared/chat/chat.ts';
import { useCalls } from '../../../api/client.ts';
import classes from './head.module.css';

const AUTOMATIC = 'automatic';

interface ProtocolMenuProps {
  readonly lane: LaneModel;
  readonly onChoose: (protocol: TextProtocol | null) => void;
}

/** Selects the protocol by which a model is asked. */
export function ProtocolMenu({ lane: { model, protocol }, onChoose }: ProtocolMenuProps) {
  const [opened, setOpened] = useState(false);
  const automatic = useAutomatic(model, opened);
  const name = protocol === null ? 'Automatic' : PROTOCOL_NAMES[protocol];
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-start" shadow="md">
      <Menu.Target>
        <Tooltip label={`Protocol: ${name}`} disabled={opened}>
          <UnstyledButton
            className={classes['chipPart']}
            aria-label={`Protocol of ${model}: ${name}`}
            data-set={protocol !== null || undefined}
          >
            <IconArrowsExchange size={14} stroke={1.7} aria-hidden />
            {protocol !== null && name}
          </UnstyledButton>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Protocol</Menu.Label>
        <Menu.RadioGroup
          value={protocol ?? AUTOMATIC}
          onChange={(chosen) => {
            setOpened(false);
            onChoose(TextProtocol.safeParse(chosen).data ?? null);
          }}
        >
          <Menu.RadioItem value={AUTOMATIC}>
            Automatic{automatic !== null && ` (${PROTOCOL_NAMES[automatic]})`}
          </Menu.RadioItem>
          {TextProtocol.options.map((each) => (
            <Menu.RadioItem key={each} value={each}>
              {PROTOCOL_NAMES[each]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Returns the protocol that is used when none is selected; `null` while it is unknown. It may change with each answer. */
function useAutomatic(model: string, enabled: boolean): TextProtocol | null {
  const { data, isPlaceholderData } = useQuery({
    ...useCalls().chat.findProtocol.queryOptions({
      input: enabled && model !== '' ? { model } : skipToken,
    }),
    staleTime: 0,
    gcTime: 0,
  });
  return data === undefined || isPlaceholderData ? null : data.protocol;
}

/** Labels of the protocols, in the order they are offered. */
const PROTOCOL_NAMES: Readonly<Record<TextProtocol, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages',
};
