import { ActionIcon, Indicator, Popover, Tooltip } from '@mantine/core';
import { IconAdjustments } from '@tabler/icons-react';
import { useState } from 'react';
import type { ChatSettings, LaneModel } from '../../../../shared/chat/chat.ts';
import { SettingsForm } from './settings-form.tsx';

interface SettingsButtonProps {
  readonly settings: ChatSettings;
  readonly lanes: readonly LaneModel[];
  readonly onChange: (settings: ChatSettings) => void;
}

/** Opens the settings of a conversation; a dot shows that some are set. */
export function SettingsButton({ settings, lanes, onChange }: SettingsButtonProps) {
  const [opened, setOpened] = useState(false);
  const { system, temperature, maxTokens, imagesAnyway } = settings;
  const isSet = system !== '' || temperature !== null || maxTokens !== null || imagesAnyway;
  const label = `Conversation settings${isSet ? ', changed' : ''}`;
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      width="min(400px, calc(100vw - 24px))"
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Tooltip label="Settings" disabled={opened}>
          <Indicator size={8} offset={5} disabled={!isSet}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={label}
              aria-expanded={opened}
              onClick={() => setOpened(!opened)}
            >
              <IconAdjustments size={18} stroke={1.7} />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label="Conversation settings">
        {opened && <SettingsForm settings={settings} lanes={lanes} onChange={onChange} />}
      </Popover.Dropdown>
    </Popover>
  );
}
