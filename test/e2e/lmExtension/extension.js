'use strict';
const vscode = require('vscode');

const MODEL = {
  id: 'scripted-1',
  name: 'Scripted Model',
  family: 'scripted',
  version: '1',
  maxInputTokens: 200_000,
  maxOutputTokens: 20_000,
  isUserSelectable: true,
  capabilities: { toolCalling: true },
};

const isResult = (part) => part instanceof vscode.LanguageModelToolResultPart;

function textOf(parts) {
  return parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

/**
 * The last `CALL <toolName> <json object on the same line>` of a text, or undefined. The prompt reaches a model wrapped in the
 * editor's own markup, so what follows the object is ignored.
 */
function readCall(text) {
  const match = [...text.matchAll(/\bCALL (\S+) (\{.*)/g)].at(-1);
  if (!match) return undefined;
  const [, name, rest] = match;
  for (let end = rest.lastIndexOf('}'); end >= 0; end = rest.lastIndexOf('}', end - 1)) {
    try {
      return { name, input: JSON.parse(rest.slice(0, end + 1)) };
    } catch {
      // The bracket belonged to the markup: the one before it is tried.
    }
    if (end === 0) break;
  }
  return undefined;
}

/** The last call that a person asked for and where; the index is -1 when nobody asked. */
function lastAsked(messages) {
  const index = messages.findLastIndex(
    ({ role, content }) => role === vscode.LanguageModelChatMessageRole.User && readCall(textOf(content)),
  );
  return { index, call: index < 0 ? undefined : readCall(textOf(messages[index].content)) };
}

function answer(messages, tools) {
  const { index, call } = lastAsked(messages);
  const results = messages.slice(index + 1).flatMap(({ content }) => content.filter(isResult));
  if (results.length > 0) {
    return new vscode.LanguageModelTextPart(
      `TOOL RESULT: ${results.map((result) => textOf(result.content)).join('\n')}`,
    );
  }
  if (!call) return new vscode.LanguageModelTextPart('NO CALL IN THE PROMPT');
  const tool = tools.find((offered) => offered.name.endsWith(call.name));
  if (!tool) {
    const names = tools.map((offered) => offered.name).join(', ');
    return new vscode.LanguageModelTextPart(`NO TOOL ${call.name}. OFFERED: ${names}`);
  }
  return new vscode.LanguageModelToolCallPart(`call-${messages.length}`, tool.name, call.input);
}

exports.activate = (context) => {
  const provider = {
    provideLanguageModelChatInformation: () => [MODEL],
    provideLanguageModelChatResponse: async (_model, messages, options, progress) => {
      progress.report(answer(messages, options.tools ?? []));
    },
    provideTokenCount: async (_model, text) =>
      (typeof text === 'string' ? text : textOf(text.content)).length / 4,
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('scripted', provider));
};
