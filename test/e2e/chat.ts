import type { Page } from 'playwright-core';
import { type Workbench, untilDone } from './workbench.ts';

/** As `lmExtension` names it. */
const MODEL_NAME = 'Scripted Model';

/** The editor's own agent, answered by the scripted model of `lmExtension`. */
export interface Chat {
  /** Sends a prompt in the chat view. `CALL toolName {"json":"on one line"}` makes the model call that tool. */
  sendChat(prompt: string): Promise<void>;
  /**
   * Answers the editor's own "Run TOOL…" with Allow Once and gives the text that stood there. (The plain button says
   * "Allow in this Session": the next call of that tool would not be asked.) A tool whose annotations say
   * `readOnlyHint` runs without the question.
   */
  allowToolInChat(): Promise<string>;
  /** Waits for an answer in the chat whose text matches and gives the whole text. */
  chatAnswer(text: RegExp): Promise<string>;
}

export function openChat(page: Page, workbench: Workbench): Chat {
  const session = page.locator('.interactive-session:visible').first();
  let isModelPicked = false;

  const showChat = async (): Promise<void> => {
    if (!(await session.isVisible())) await page.keyboard.press('Control+Alt+I');
    await session.locator('.interactive-input-editor').first().waitFor();
  };

  const pickModel = async (): Promise<void> => {
    if (isModelPicked) return;
    // Until that page was opened once the editor has asked no provider for models; it then picks the only one.
    await workbench.runCommand('Chat: Manage Language Models');
    const models = page.locator('.ai-models-management-editor');
    await models.getByText(MODEL_NAME).first().waitFor();
    await untilDone(page, 'the page of language models closed', async () => {
      await page.keyboard.press('Escape');
      await models.waitFor({ state: 'hidden', timeout: 2_000 });
    });
    await session.locator('.interactive-input-part').getByText(MODEL_NAME).first().waitFor();
    isModelPicked = true;
  };

  return {
    sendChat: async (prompt) => {
      await showChat();
      await pickModel();
      await session.locator('.interactive-input-editor').first().click();
      await page.keyboard.insertText(prompt);
      await page.keyboard.press('Enter');
    },
    allowToolInChat: async () => {
      const question = session
        .locator('.chat-confirmation-widget-container')
        .filter({ hasText: /Allow/ })
        .last();
      await question
        .locator('.monaco-button')
        .filter({ hasText: /^Allow/ })
        .first()
        .waitFor();
      const text = await question.innerText();
      const allowOnce = page.getByRole('menuitem', { name: 'Allow Once' }).first();
      await untilDone(page, 'the choice "Allow Once" of the chat', async () => {
        // A menu that has just opened takes no click yet: chosen again while the question stands.
        if (!(await allowOnce.isVisible()))
          await question.locator('.monaco-dropdown-button').first().click({ timeout: 5_000 });
        await allowOnce.click({ timeout: 5_000 });
        await question.waitFor({ state: 'hidden', timeout: 5_000 });
      });
      return text;
    },
    chatAnswer: async (text) => {
      const answer = session.locator('.interactive-response').filter({ hasText: text }).last();
      await answer.waitFor();
      return answer.innerText();
    },
  };
}
