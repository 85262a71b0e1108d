"""How a model goes on for ever: change points, window signatures, tails, periods, and their unfolding."""
