// The server of boardgame.io with Pig, to be measured beside ours: node boardgame_io.js PORT [FOLDER]
// Matches are kept in memory, or in files in a folder. NODE_PATH says where boardgame.io is installed.

const { Server, FlatFile } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");

const GOAL = 100;

const pass = (G, events) => {
  G.turn = 0;
  events.endTurn();
};

const Pig = {
  name: "pig",
  minPlayers: 2,
  maxPlayers: 2,
  setup: ({ ctx }) => ({ points: Array(ctx.numPlayers).fill(0), turn: 0, die: null }),
  moves: {
    // A player cannot know the die beforehand, so only the server throws it.
    roll: {
      client: false,
      move: ({ G, random, events }) => {
        G.die = random.D6();
        if (G.die === 1) pass(G, events);
        else G.turn += G.die;
      },
    },
    hold: ({ G, ctx, events }) => {
      if (G.turn === 0) return INVALID_MOVE;
      G.points[ctx.currentPlayer] += G.turn;
      pass(G, events);
    },
  },
  endIf: ({ G }) => {
    const winner = G.points.findIndex((points) => points >= GOAL);
    return winner < 0 ? undefined : { winner: String(winner) };
  },
};

const [port, folder] = process.argv.slice(2);
const storage = folder ? { db: new FlatFile({ dir: folder }) } : {};
const server = Server({ games: [Pig], origins: [], ...storage });
server.run({ port: { port: Number(port), host: "127.0.0.1" } });
