// The page of a study: a clip at a time, and nine buttons. The server knows which group a clip is of; the page does not.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const state = { token: "", trial: 0, count: 0, busy: false };

  async function post(path, body) {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  function show() {
    const done = state.trial >= state.count;
    at("begin").hidden = true;
    at("trial").hidden = done;
    at("done").hidden = !done;
    if (done) return;
    at("progress").textContent = `${state.trial + 1} of ${state.count}`;
    at("stage").src = `clip/${state.token}/${state.trial}`;
  }

  // One answer at a time: a second press before the server has answered would rate a motion that was not shown yet.
  async function rate(rating) {
    if (state.busy) return;
    state.busy = true;
    try {
      await post("rate", { token: state.token, trial: state.trial, rating });
      at("problem").textContent = "";
      state.trial += 1;
      show();
    } finally {
      state.busy = false;
    }
  }

  function report(error) {
    at("problem").textContent = error.message;
  }

  at("begin").addEventListener("submit", (event) => {
    event.preventDefault();
    at("problem").textContent = "Preparing the motions.";
    post("begin", { participant: at("participant").value })
      .then((answer) => {
        Object.assign(state, answer, { trial: 0 });
        at("problem").textContent = "";
        show();
      })
      .catch(report);
  });
  for (let rating = 1; rating <= 9; rating += 1) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = rating;
    button.addEventListener("click", () => rate(rating).catch(report));
    at("scale").append(button);
  }
  const skip = at("skip");
  skip.addEventListener("click", () => rate(null).catch(report));
  document.addEventListener("keydown", (event) => {
    if (!at("trial").hidden && !event.repeat && event.key >= "1" && event.key <= "9") rate(Number(event.key)).catch(report);
  });
})();
